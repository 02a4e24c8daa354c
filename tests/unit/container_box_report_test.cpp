// What the host makes of the helper's report: one that is good, and each fault alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "base/json.h"
#include "base/text.h"
#include "container/box.h"
#include "container/key_search.h"

namespace sanduk {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view key_text = "sk-ant-api03-Zx81Kq0vT5nR7yWc";

// As a box on Docker 20.10 gave it, shortened.
constexpr std::string_view good_report =
    R"({"report":1,"pid":1,"listener":"ok","filter":"ok","found":{"no_new_privileges":true,"seccomp":2},)"
    R"("interfaces":[{"name":"lo","up":true},{"name":"sit0","up":false}],"routes":[],)"
    R"("reach":{"ipv4":"ENETUNREACH","ipv6":"EADDRNOTAVAIL"},)"
    R"("nameservers":[{"address":"10.0.0.53","outcome":"ENETUNREACH","answers":0}],"vsock":"EAFNOSUPPORT",)"
    R"("capabilities":{"effective":"0000000000000000","permitted":"0000000000000000","inheritable":"0000000000000000",)"
    R"("bounding":"0000000000000000","ambient":"0000000000000000"},"no_new_privileges":true,"user_namespaces":"EPERM",)"
    R"("uid":1000,"gid":1001,"groups":[1001],"environment":["PATH=/usr/bin:/bin","HOME=/home/agent","KEY=run-token"],)"
    R"("processes":[{"pid":1,"arguments":["/sanduk/box","--","agent","do it"]}],"root_read_only":false,)"
    R"("writable":[{"path":"/work","outcome":"ok"}],)"
    R"("protected":[{"path":"/work/.git/config","kind":"file","rename":"EBUSY",)"
    R"("parents":[{"path":"/work/.git","kind":"directory","rename":"EBUSY"}],"write":"EROFS"},)"
    R"({"path":"/work/.envrc","kind":"file","rename":"EBUSY","parents":[],"write":"EROFS"}],)"
    R"("limits":{"memory":1048576,"pids":64,"cpu_thousandths":1500},"sockets":[],)"
    R"("devices":[{"name":"null","type":"character"},{"name":"pts","type":"directory"}],)"
    R"("mounts":[{"path":"/","root":"/","device":"0:39","options":"rw","type":"overlay"},)"
    R"({"path":"/proc","root":"/","device":"0:40","options":"rw","type":"proc"},)"
    R"({"path":"/etc/hosts","root":"/var/lib/docker/containers/x/hosts","device":"254:0","options":"rw","type":"ext4"},)"
    R"({"path":"/work","root":"/home/me/work","device":"254:0","options":"rw,relatime","type":"ext4"},)"
    R"({"path":"/work/.git","root":"/home/me/work/.git","device":"254:0","options":"rw","type":"ext4"},)"
    R"({"path":"/work/.git/config","root":"/home/me/work/.git/config","device":"254:0","options":"ro","type":"ext4"},)"
    R"({"path":"/work/.envrc","root":"/run/guard/empty-file","device":"0:25","options":"ro","type":"tmpfs"},)"
    R"({"path":"/data","root":"/data","device":"254:0","options":"ro","type":"ext4"},)"
    R"({"path":"/sanduk","root":"/run/helper","device":"0:25","options":"ro,nosuid","type":"tmpfs"},)"
    R"({"path":"/run/sanduk","root":"/run/relay","device":"0:25","options":"ro","type":"tmpfs"}],"complete":true})";

Plan planned() {
  Plan plan;
  plan.agent.variables = {{"KEY", "{token}"}};
  plan.agent.token_variable = "KEY";
  plan.workspace.protected_paths = {".git/config", ".envrc"};
  plan.mounts = {{"/data", "/data", true}};
  plan.user = {1000, 1001};
  plan.limits = {1.5, 1048576, 64, 0};
  return plan;
}

std::vector<std::string> judge(std::string_view report, const Plan& plan = planned()) {
  return check_box_report(report, plan, Secret(std::string(key_text)));
}

TEST(BoxReport, the_planned_box_has_no_fault) {
  EXPECT_TRUE(parse_json_object(good_report));
  EXPECT_THAT(judge(good_report), IsEmpty());
}

struct Fault {
  std::string_view was;
  std::string_view is;
  std::string_view words;
};

constexpr Fault faults[] = {
    {R"("listener":"ok")", R"("listener":"EADDRINUSE")",
     "the helper cannot listen on 127.0.0.1:8750 in the box (EADDRINUSE)"},
    {R"("filter":"ok")", R"("filter":"EINVAL")", "the helper's system call filter could not be set (EINVAL)"},
    {R"("vsock":"EAFNOSUPPORT")", R"("vsock":"ok")", "the box can open a socket to the hypervisor (vsock)"},
    {R"("sit0","up":false)", R"("eth0","up":true)", "the box has the network interface eth0"},
    {R"("routes":[])", R"("routes":["eth0 0.0.0.0 via 172.17.0.1"])",
     "the box has a network route: eth0 0.0.0.0 via 172.17.0.1"},
    {R"("ipv4":"ENETUNREACH")", R"("ipv4":"ok")", "the box may reach the internet by ipv4"},
    {R"("ipv6":"EADDRNOTAVAIL")", R"("x":"y")", "the box may reach the internet by ipv6"},
    {R"("outcome":"ENETUNREACH")", R"("outcome":"answer")", "the name server 10.0.0.53 answers the box"},
    {R"("effective":"0000000000000000")", R"("effective":"0000000000000400")",
     "the box has effective capabilities (0000000000000400)"},
    {R"("bounding":"0000000000000000")", R"("bounding":"00000000a80425fb")",
     "the box has bounding capabilities (00000000a80425fb)"},
    {R"("no_new_privileges":true,"user)", R"("no_new_privileges":false,"user)",
     "a program in the box can gain privileges"},
    {R"("uid":1000)", R"("uid":0)", "the box runs as user 0 instead of 1000"},
    {R"("gid":1001)", R"("gid":0)", "the box runs as group 0 instead of 1001"},
    {R"("groups":[1001])", R"("groups":[1001,0])", "the box's user is in the group 0 (root)"},
    {R"("pid":1,"listener")", R"("pid":7,"listener")", "the helper is not the first process of the box"},
    {R"("processes":[)", R"("processes":[{"pid":9,"arguments":["sshd"]},)", "another process is in the box: sshd"},
    {"do it", "use Kq0vT5 now", "an argument of a process in the box holds the real key, or a piece of it"},
    {"HOME=/home/agent", "X=sk-ant-api03-Zx81Kq0vT5nR7yWc",
     "the variable X in the box holds the real key, or a piece of it"},
    {"HOME=/home/agent", "X=..0vT5nR..", "the variable X in the box holds the real key, or a piece of it"},
    {R"(,"KEY=run-token")", "", "the variable KEY did not reach the box"},
    {R"("path":"/work","outcome":"ok")", R"("path":"/work","outcome":"EACCES")",
     "the agent could not write the workspace (EACCES): it belongs to another user"},
    {R"({"path":"/work","outcome":"ok"})", "", "the box did not try to write the workspace"},
    {R"("parents":[],"write":"EROFS")", R"("parents":[],"write":"ok")",
     "the agent could write the protected path .envrc"},
    {R"("kind":"file","rename":"EBUSY","parents":[],"write":"EROFS")",
     R"("kind":"missing","rename":"ENOENT","parents":[],"write":"ok")",
     "the agent could create the protected path .envrc"},
    {R"("rename":"EBUSY","parents":[])", R"("rename":"ok","parents":[])",
     "the agent could move the protected path .envrc away"},
    {R"("kind":"directory","rename":"EBUSY")", R"("kind":"directory","rename":"ok")",
     "the agent could move /work/.git away, and with it the protected path .git/config"},
    {R"("/work/.envrc","kind":"file")", R"("/work/.envrc","kind":"link")",
     "the protected path .envrc is a symbolic link in the box"},
    {R"("path":"/work/.envrc",)", R"("path":"/work/x",)", "the box did not try the protected path .envrc"},
    {R"("memory":1048576)", R"("memory":-1)", "the box's memory in bytes is not limited instead of 1048576"},
    {R"("pids":64)", R"("pids":4096)", "the box's number of processes is 4096 instead of 64"},
    {R"("cpu_thousandths":1500)", R"("cpu_thousandths":2000)",
     "the box's processor time in thousandths is 2000 instead of 1500"},
    {R"("sockets":[])", R"("sockets":["/var/run/docker.sock"])",
     "the box has an engine's socket: /var/run/docker.sock"},
    {R"({"name":"null","type":"character"})", R"({"name":"vda","type":"block"})", "the box has the device /dev/vda"},
    {R"({"name":"null",)", R"({"name":"kvm",)", "the box has the device /dev/kvm"},
    {R"({"path":"/proc",)",
     R"({"path":"/host","root":"/","device":"254:0","options":"rw","type":"ext4"},{"path":"/proc",)",
     "the box has a mount that the plan does not name: /host"},
    {R"({"path":"/proc",)",
     R"({"path":"/var/run/docker.sock","root":"/docker.sock","device":"0:25","options":"rw","type":"tmpfs"},{"path":"/proc",)",
     "the box has a mount that the plan does not name: /var/run/docker.sock"},
    {R"("path":"/work","root")", R"("path":"/elsewhere","root")", "the workspace is not mounted in the box"},
    {R"(work/.git/config","device":"254:0","options":"ro")", R"(work/.git/config","device":"254:0","options":"rw")",
     "no read-only mount holds the protected path .git/config"},
    {R"("root":"/home/me/work/.git/config")", R"("root":"/etc/shadow")",
     "what is mounted at /work/.git/config is not the workspace's own: /etc/shadow"},
    {R"("root":"/home/me/work/.git",)", R"("root":"/etc",)",
     "what is mounted at /work/.git is not the workspace's own: /etc"},
    {R"(/empty-file","device")", R"(/other","device")",
     "what is mounted at /work/.envrc is not the workspace's own: /run/guard/other"},
    {R"("options":"ro,nosuid")", R"("options":"rw,nosuid")", "the helper's directory can be written by the box"},
    {R"("root":"/run/relay","device":"0:25","options":"ro")", R"("root":"/run/relay","device":"0:25","options":"rw")",
     "the relay's directory can be written by the box"},
    {R"("/data","root":"/data","device":"254:0","options":"ro")",
     R"("/data","root":"/data","device":"254:0","options":"rw")", "the mount /data can be written by the box"},
    {R"("complete":true)", R"("complete":false)", "the box's report is not complete"},
    {R"("routes":[],)", "", "the box did not report its routes"},
    {R"("report":1)", R"("report":2)", "the box's report has a format that this sanduk does not know"}};

TEST(BoxReport, each_fault_is_told_in_words) {
  for (const Fault& fault : faults) {
    ASSERT_NE(good_report.find(fault.was), std::string_view::npos) << fault.was;
    const std::string report = replace_all(std::string(good_report), fault.was, fault.is);
    EXPECT_THAT(judge(report), Contains(std::string(fault.words)));
  }
}

TEST(BoxReport, what_is_no_report_is_a_fault) {
  for (const char* text : {"", "[]", "{", "null", "{\"report\":\"1\"}"}) EXPECT_EQ(judge(text).size(), 1U) << text;
  // An empty one lacks everything.
  EXPECT_GT(judge(R"({"report":1})").size(), 20U);
}

TEST(BoxReport, members_of_a_wrong_type_are_faults_and_no_crash) {
  for (const char* name : {"interfaces", "reach", "capabilities", "groups", "environment", "processes", "writable",
                           "protected", "limits", "mounts"}) {
    for (const char* value : {"null", "7", "\"x\"", "[7]", "{}", "[[]]", "[null]", "[{}]"}) {
      Poco::JSON::Object::Ptr report = parse_json_object(good_report);
      const std::string wrapped = std::string("{\"v\":") + value + "}";
      report->set(name, parse_json_object(wrapped)->get("v"));
      std::ostringstream text;
      report->stringify(text);
      EXPECT_NO_THROW(judge(text.str())) << name << " " << value;
    }
  }
}

TEST(BoxReport, a_box_with_a_network_may_have_one) {
  Plan plan = planned();
  plan.mode = NetworkMode::key_safe;
  std::string report = replace_all(std::string(good_report), R"("sit0","up":false)", R"("eth0","up":true)");
  report = replace_all(report, R"("ipv4":"ENETUNREACH")", R"("ipv4":"ok")");
  EXPECT_THAT(judge(report, plan), IsEmpty());
}

TEST(BoxReport, limits_that_cannot_be_seen_are_no_fault) {
  EXPECT_THAT(judge(replace_all(std::string(good_report), R"("memory":1048576)", R"("memory":null)")), IsEmpty());
}

TEST(BoxReport, a_fault_shows_no_terminal_escape_and_no_key) {
  const std::string report = replace_all(std::string(good_report), "HOME=/home/agent", "\\u001b]0;X=Zx81Kq0vT5nR7yWc");
  for (const std::string& fault : judge(report)) {
    EXPECT_EQ(fault.find('\x1b'), std::string::npos);
    EXPECT_EQ(fault.find("Kq0vT5"), std::string::npos);
  }
  EXPECT_EQ(judge(report).size(), 1U);
}

TEST(KeySearch, pieces_and_what_is_none) {
  const auto holds = [](std::string_view text, std::string_view key) {
    return holds_piece_of(text, Secret(std::string(key)));
  };
  EXPECT_TRUE(holds("xxZx81Kqxx", key_text));
  EXPECT_TRUE(holds("7yWc", "7yWc"));
  EXPECT_FALSE(holds("Zx81K", key_text)) << "five characters";
  EXPECT_FALSE(holds("KEY=sk-ant-api03-0123456789abcdef", key_text)) << "the start of every key";
  EXPECT_FALSE(holds("", key_text));
  EXPECT_FALSE(holds("anything", ""));
  EXPECT_FALSE(holds("/usr/share/ollama/x", "ollama")) << "a made-up key that is a word";
  EXPECT_TRUE(holds("KEY=ollama", "ollama"));
  EXPECT_TRUE(holds("x7yWx", "7yW") == false && holds("A=7yW", "7yW"));
  EXPECT_FALSE(holds("no local-model here", "local-model-key-of-mine"));
  EXPECT_TRUE(holds("--key local-model-key-of-mine", "local-model-key-of-mine"));
  EXPECT_TRUE(holds("abc123def", "sk-or-v1-000abc123def000"));
  EXPECT_TRUE(holds("proj-A1b2C3", "sk-proj-A1b2C3d4"));
}

}  // namespace
}  // namespace sanduk

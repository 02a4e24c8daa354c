// The agent as an enemy: what it tries in a real box, and what is left of it.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "box_support.h"

namespace sanduk::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Runs `lines` one by one in the box; gives back those that succeeded.
std::vector<std::string> succeed_in(BoxRun& box, const std::vector<std::string>& lines) {
  std::string script;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    script += "(" + lines[i] + ") >/dev/null 2>&1 </dev/null && echo " + std::to_string(i) + "\n";
  }
  box.script(script + "exit 0\n");
  const ProcessResult result = box.run();
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::vector<std::string> succeeded;
  for (const std::string& number : split(trim(result.output), '\n')) {
    if (!number.empty()) succeeded.push_back(lines.at(std::stoul(number)));
  }
  return succeeded;
}

// Of the image the agent's user owns ~node: where the root file system can be written, it can be there.
TEST(BoxHostile, a_read_only_root_holds) {
  SANDUK_NEEDS_BOXES();
  if (geteuid() != 0 && test_engine().name == "podman") {
    // Its engine mounts a list of users of its own into such a root. The self-test knows no such mount.
    BoxRun box;
    box.plan.read_only_root = true;
    succeed_in(box, {"true"});
    EXPECT_THAT(box.faults(), Contains(HasSubstr("/etc/passwd"))) << "it can be held now: take the exception out";
    return;
  }
  const std::vector<std::string> lines = {
      "echo x > ~node/file",         "mkdir ~node/directory",
      "rm -f ~node/.profile",        "touch ~node",
      "ln -s / ~node/link",          "mv ~node/.bashrc ~node/b",
      "mount -o remount,rw /",       "echo x > /usr/local/bin/node",
      "echo x > /etc/ld.so.preload", "echo x > /proc/1/root/$(echo ~node)/file",
  };
  const std::vector<std::string> allowed = {"echo x > /tmp/file && rm /tmp/file", "mkdir -p /var/tmp/d",
                                            "test \"$(stat -c %a /tmp)\" = 1777"};
  BoxRun open;
  EXPECT_THAT(succeed_in(open, lines), Contains("echo x > ~node/file")) << "else this test shows nothing";
  BoxRun box;
  box.plan.read_only_root = true;
  box.plan.writable = {"/tmp", "/var/tmp"};
  EXPECT_THAT(succeed_in(box, lines), IsEmpty());
  EXPECT_THAT(box.faults(), IsEmpty());
  BoxRun use;
  use.plan.read_only_root = true;
  use.plan.writable = {"/tmp", "/var/tmp", "/home"};
  EXPECT_EQ(succeed_in(use, allowed), allowed);
  EXPECT_THAT(use.faults(), IsEmpty());
  // A box that was to be so and is not.
  open.plan.read_only_root = true;
  EXPECT_THAT(open.faults(), Contains(HasSubstr("can write its root file system")));
}

TEST(BoxHostile, protected_paths_hold) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.write(".git/config", "[core]\n");
  box.write(".git/hooks/pre-commit", "#!/bin/sh\n");
  box.write("profile.toml", "version = 1\n");
  box.write("deep/er/still/file", "mine\n");
  const std::string before = box.tree();
  box.plan.workspace.protected_paths = {".git/hooks",         ".git/config", "profile.toml",
                                        "deep/er/still/file", ".envrc",      ".vscode/tasks.json"};
  EXPECT_THAT(succeed_in(box,
                         {
                             "echo x > .git/config",
                             "echo x >> profile.toml",
                             "echo x > .git/hooks/post-merge",
                             "echo x > .git/hooks/pre-commit",
                             "chmod +x .git/hooks/pre-commit",
                             "chmod 777 profile.toml",
                             "touch -d yesterday profile.toml",
                             "rm -f .git/config",
                             "rm -rf .git/hooks",
                             "rm -f profile.toml",
                             "rmdir .git/hooks",
                             "mv .git/config .git/config2",
                             "mv .git/hooks .git/hooks2",
                             "mv .git dotgit",
                             "mv profile.toml p",
                             "mv deep shallow",
                             "mv deep/er deep/est",
                             "mv deep/er/still deep/er/loud",
                             "echo x > n && mv -T n .git/config",
                             "echo x > n2 && mv -T n2 profile.toml",
                             "mkdir d && mv -T d .git/hooks",
                             "mkdir d2 && mv -T d2 .git",
                             "ln profile.toml hard",
                             "ln .git/config hard2",
                             "ln -sf /tmp/x profile.toml",
                             "ln -sfT /tmp .git/hooks",
                             "ln -sfT /tmp .git",
                             "truncate -s 0 .git/config",
                             "dd if=/dev/zero of=profile.toml bs=1 count=1 conv=notrunc",
                             "echo x > .envrc",
                             "mv n .envrc",
                             "rm -f .envrc",
                             "mkdir .vscode/sub",
                             "echo x > .vscode/tasks.json",
                             "rmdir .vscode",
                             "mv .vscode v",
                             "umount /work/.git/config",
                             "mount -o remount,rw /work/.git/config",
                             "mount --bind /tmp /work/.git/hooks",
                             "unshare -rm true",
                             "unshare -rm umount /work/.git/config",
                         }),
              IsEmpty());
  EXPECT_EQ(box.read(".git/config"), "[core]\n");
  EXPECT_EQ(box.read("profile.toml"), "version = 1\n");
  EXPECT_EQ(box.read("deep/er/still/file"), "mine\n");
  for (const char* made : {"n", "n2", "d", "d2"}) std::filesystem::remove(box.workspace() / made);
  EXPECT_EQ(box.tree(), before);
  EXPECT_THAT(box.faults(), IsEmpty());
}

TEST(BoxHostile, what_is_not_protected_works) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.write(".git/config", "[core]\n");
  box.write("src/a", "a\n");
  box.plan.workspace.protected_paths = {".git/hooks", ".git/config"};
  const std::vector<std::string> all = {"echo x > .git/HEAD",
                                        "mkdir -p .git/objects/aa",
                                        "mv src lib",
                                        "echo y > lib/a",
                                        "rm lib/a",
                                        "ln -s lib l",
                                        "touch .git/index.lock && mv .git/index.lock .git/index"};
  EXPECT_EQ(succeed_in(box, all), all);
  EXPECT_THAT(box.tree(), HasSubstr(".git/index"));
  EXPECT_THAT(box.tree(), Not(HasSubstr(".git/hooks")));
}

TEST(BoxHostile, the_helper_and_the_engines_things_hold) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  EXPECT_THAT(succeed_in(box,
                         {
                             "cat /proc/1/environ",
                             "head -c 1 /proc/1/mem",
                             "cat /proc/1/maps | grep .",
                             "ls /proc/1/fd",
                             "ls /proc/1/root/",
                             "echo x > /sanduk/box",
                             "rm -f /run/sanduk/relay.sock",
                             "touch /run/sanduk/x",
                             "mv /run/sanduk /run/other",
                             "echo 1 > /proc/sys/kernel/core_pattern",
                             "echo x > /sys/fs/cgroup/memory/memory.limit_in_bytes",
                             "echo max > /sys/fs/cgroup/memory.max",
                             "echo b > /proc/sysrq-trigger",
                             "mknod /tmp/disk b 254 0",
                             "chown 0 /work",
                             "chroot / true",
                             "ls /var/run/docker.sock",
                             "nsenter -t 1 -m true",
                             "kill -KILL 1; kill -STOP 1; false",
                             "su root -c true",
                             "cat /dev/mem",
                             "dmesg -C",
                         }),
              IsEmpty());
}

TEST(BoxHostile, a_box_of_roots_holds_as_well) {
  SANDUK_NEEDS_BOXES();
  if (geteuid() != 0) GTEST_SKIP() << "only root gets such a box";
  BoxRun box;
  box.write(".git/config", "[core]\n");
  ASSERT_EQ(chown(box.workspace().c_str(), 0, 0), 0);
  box.plan.user = {0, 0};
  box.plan.workspace.protected_paths = {".git/hooks", ".git/config"};
  EXPECT_THAT(succeed_in(box, {"echo x > .git/config",
                               "mv .git g",
                               "umount /work/.git/config",
                               "mount -o remount,rw /work/.git/config",
                               "mount -t tmpfs none /mnt",
                               "unshare -m true",
                               "unshare -n true",
                               "cat /proc/1/environ",
                               "head -c 1 /proc/1/mem",
                               "chroot / true",
                               "mknod /tmp/disk b 254 0",
                               "echo 1 > /proc/sys/kernel/core_pattern",
                               "echo b > /proc/sysrq-trigger",
                               "echo max > /sys/fs/cgroup/pids/pids.max",
                               "mkdir /sys/fs/cgroup/pids/x",
                               "chown 4242 /work",
                               "setpriv --reuid 4242 true",
                               "ip link set lo down",
                               "hostname other",
                               "nice -n -5 true && test $(nice -n -5 nice) = -5"}),
              IsEmpty());
  EXPECT_THAT(box.faults(), IsEmpty());
}

TEST(BoxHostile, there_is_no_way_out_but_the_relay) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  const auto node = [](const std::string& code) { return "timeout 5 node -e '" + code + "'"; };
  EXPECT_THAT(
      succeed_in(
          box,
          {
              node(
                  R"(require("net").connect(53,"1.1.1.1").on("connect",()=>process.exit(0)).on("error",()=>process.exit(1)))"),
              node(
                  R"(require("net").connect(80,"172.17.0.1").on("connect",()=>process.exit(0)).on("error",()=>process.exit(1)))"),
              node(
                  R"(require("net").connect(80,"169.254.169.254").on("connect",()=>process.exit(0)).on("error",()=>process.exit(1)))"),
              node(
                  R"(require("net").connect(80,"2606:4700::1111").on("connect",()=>process.exit(0)).on("error",()=>process.exit(1)))"),
              node(R"(require("dns").lookup("example.com",e=>process.exit(e?1:0)))"),
              node(R"(require("dns").resolve4("example.com",e=>process.exit(e?1:0)))"),
              node(R"(require("dgram").createSocket("udp4").send("x",53,"8.8.8.8",e=>process.exit(e?1:0)))"),
              "python3 -c 'import socket; socket.socket(40, 1)'",
              "python3 -c 'import socket; socket.socket(17, 3)'",
              "python3 -c 'import socket; socket.socket(38, 5)'",
              "python3 -c 'import socket; socket.socket(2, 3, 1)'",
              "python3 -c 'import ctypes; assert ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120)) "
              ">= 0'",
          }),
      IsEmpty());
}

TEST(BoxHostile, a_call_streams_both_ways_through_the_relay) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.relay->serve = [](int fd, const std::string& head, std::string rest) {
    send_text(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    const bool told = head.find("POST /v1/messages ") == 0;
    // Each piece is answered before the next one comes; node sends them as chunks of one byte.
    std::string seen = rest;
    for (const char letter : {'a', 'b', 'c'}) {
      while (seen.find(letter) == std::string::npos) {
        const std::string more = receive_some(fd);
        if (more.empty()) return;
        seen += more;
      }
      send_text(fd, std::string("1\r\n") + (told ? letter : '?') + "\r\n");
    }
    send_text(fd, "0\r\n\r\n");
  };
  box.plan.agent.argv = {"node", "-e", R"(
    const r = require("http").request(process.env.API_BASE + "/v1/messages", {method: "POST"}, a => {
      const next = {a: "b", b: "c"};
      a.on("data", d => { process.stdout.write("<" + d + ">"); next[d] ? r.write(next[d]) : r.end(); });
      a.on("end", () => console.log("end"));
    });
    r.write("a");
  )"};
  const ProcessResult result = box.run();
  EXPECT_EQ(result.output, "<a><b><c>end\n") << result.errors;
}

TEST(BoxHostile, a_path_swapped_for_a_link_is_seen_before_the_agent_starts) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.write("profile.toml", "version = 1\n");
  box.write("other", "other\n");
  box.plan.workspace.protected_paths = {"profile.toml"};
  box.script("true");
  ASSERT_TRUE(box.create().ok());
  // What an agent of another box in the same workspace does at the right moment.
  std::filesystem::remove(box.workspace() / "profile.toml");
  std::filesystem::create_symlink("/etc/hostname", box.workspace() / "profile.toml");
  box.engine({"start", "--attach", box.names.run_id});
  EXPECT_THAT(box.faults(), Contains("the protected path profile.toml is a symbolic link in the box"));
}

TEST(BoxHostile, a_key_that_reached_the_box_is_seen) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.plan.agent.variables.push_back({"LEAK", "x" + box.key.substr(20, 6) + "y"});
  box.script("true");
  box.run();
  EXPECT_THAT(box.faults(), testing::ElementsAre("the variable LEAK in the box holds the real key, or a piece of it"));
}

TEST(BoxHostile, a_workspace_of_another_user_is_seen) {
  SANDUK_NEEDS_BOXES();
  if (geteuid() != 0) GTEST_SKIP() << "only root can make such a workspace";
  BoxRun box;
  ASSERT_EQ(chown(box.workspace().c_str(), 4242, 4242), 0);
  box.script("true");
  box.run();
  EXPECT_THAT(box.faults(), Contains("the agent could not write the workspace (EACCES): it belongs to another user"));
}

TEST(BoxHostile, strange_paths_mount_as_they_are) {
  SANDUK_NEEDS_BOXES();
  if (test_engine().dialect == "podman") GTEST_SKIP() << "such paths are refused there, with the reason";
  BoxRun box;
  const std::string name = "a,b \"c\":d=e,readonly";
  box.write(name + "/held", "held\n");
  box.plan.workspace.protected_paths = {name + "/held"};
  box.script("cd a*; cat held; echo x > held; echo y > free");
  const ProcessResult result = box.run();
  EXPECT_THAT(result.output, HasSubstr("held\n")) << result.errors;
  EXPECT_THAT(box.faults(), IsEmpty());
  EXPECT_EQ(box.read(name + "/held"), "held\n");
  EXPECT_EQ(box.read(name + "/free"), "y\n");
}

TEST(BoxHostile, a_fork_bomb_ends_at_the_limit) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.plan.limits.pids = 64;
  box.script("i=0; while [ $i -lt 300 ]; do sleep 30 & i=$((i+1)); done; echo all");
  const ProcessResult result = box.run();
  EXPECT_THAT(result.output, Not(HasSubstr("all")));
}

}  // namespace
}  // namespace sanduk::test

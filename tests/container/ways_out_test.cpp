// An agent that tries every way out that we could think of, each by name, in a whole run on a real engine. A way whose
// tool the image lacks counts as not tried, and is said so: a way that was not tried was not held.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "base/text.h"
#include "cli/progress.h"
#include "host_service.h"
#include "run_support.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Way {
  std::string name;
  std::string tool;    // must be there for the way to be tried; empty: a shell is enough
  std::string script;  // succeeds when the way is open
};

std::string connects(const std::string& host, int port) {
  return "timeout 3 node -e 'require(\"net\").connect(" + std::to_string(port) + ",\"" + host +
         "\").on(\"connect\",()=>process.exit(0)).on(\"error\",()=>process.exit(1))'";
}

std::string python(const std::string& code) { return "timeout 5 python3 -c '" + code + "'"; }

std::string asks(const std::string& path, const std::string& token) {
  return "node -e 'fetch(process.env.API_BASE+\"" + path + "\",{method:\"POST\",headers:{\"x-api-key\":" + token +
         ",\"content-type\":\"application/"
         "json\"},body:\"{\\\"model\\\":\\\"m\\\",\\\"max_tokens\\\":9,\\\"messages\\\":[]}\"})"
         ".then(r=>process.exit(r.ok?0:1),()=>process.exit(1))'";
}

std::vector<Way> ways(const HostService& service) {
  std::string host_service = "false";
  for (const std::string& address : HostService::addresses()) host_service += " || " + connects(address, service.port);
  return {
      {"network by IPv4 address", "node", connects("1.1.1.1", 443)},
      {"network by IPv6 address", "node", connects("2606:4700:4700::1111", 443)},
      {"names by the resolver", "node",
       "timeout 5 node -e 'require(\"dns\").lookup(\"example.com\",e=>process.exit(e?1:0))'"},
      {"names by a datagram to a server", "node",
       "timeout 5 node -e "
       "'require(\"dgram\").createSocket(\"udp4\").send(\"x\",53,\"8.8.8.8\",e=>process.exit(e?1:0))'"},
      {"the cloud's metadata service", "node", connects("169.254.169.254", 80)},
      {"ports of the bridge's gateway", "node", connects("172.17.0.1", 22)},
      {"a service of the host on all addresses", "node", host_service},
      {"a raw socket", "python3", python("import socket; socket.socket(2, 3, 1)")},
      {"a packet socket", "python3", python("import socket; socket.socket(17, 3)")},
      {"a virtual machine's socket", "python3", python("import socket; socket.socket(40, 1)")},
      {"an address for another interface", "python3",
       python("import socket,fcntl; s=socket.socket(); fcntl.ioctl(s,0x8914,b\"lo\".ljust(16,b\"\\0\")+b\"\\0\"*24)")},
      {"the engine's socket", "",
       "ls /var/run/docker.sock /run/docker.sock /run/podman/podman.sock /run/containerd/containerd.sock 2>/dev/null | "
       "grep ."},
      {"the relay of another run", "", "ls -d /run/user/* /tmp/sanduk-* 2>/dev/null | grep ."},
      {"the relay without its token", "node", asks("/v1/messages", "\"sk-guess\"")},
      {"a path of the relay that is not allowed", "node", asks("/v1/files", "process.env.API_TOKEN")},
      {"the relay's socket swapped for another", "", "rm -f /run/sanduk/relay.sock || mv /run/sanduk /run/s"},
      {"a new mount", "", "mount -t tmpfs none /mnt"},
      {"a bind mount over a protected path", "", "mount --bind /tmp /work/.git/hooks"},
      {"a protected path remounted writable", "", "mount -o remount,rw,bind /work/.git/config"},
      {"a protected path unmounted", "", "umount /work/.git/config"},
      {"a user namespace", "unshare", "unshare -rm true"},
      {"a mount namespace of another process", "nsenter", "nsenter -t 1 -m true"},
      {"a device made", "", "mknod /tmp/disk b 254 0 || mknod /work/disk b 8 0"},
      {"the host's memory and disks", "", "head -c 1 /dev/mem || head -c 1 /dev/sda || head -c 1 /dev/vda"},
      {"the kernel's switches", "", "echo b > /proc/sysrq-trigger || echo 1 > /proc/sys/kernel/core_pattern"},
      {"the control groups", "",
       "mkdir /sys/fs/cgroup/x || mkdir /sys/fs/cgroup/memory/x || echo max > /sys/fs/cgroup/pids.max"},
      {"the helper's variables and memory", "", "cat /proc/1/environ | grep . || head -c 1 /proc/1/mem"},
      {"the helper's root and files", "", "ls /proc/1/root/ || ls /proc/1/fd"},
      {"tracing the helper", "python3",
       python("import ctypes,sys; sys.exit(0 if ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0 else 1)")},
      {"ending or stopping the helper", "",
       "kill -KILL 1; kill -STOP 1; sleep 0.2; grep -q \"State:.[TZ]\" /proc/1/status"},
      {"the helper written over", "", "echo x > /sanduk/box || rm -f /sanduk/box"},
      {"a program with another user's rights", "su", "su root -c true"},
      {"another user by a system call", "python3", python("import os; os.setuid(0 if os.getuid() else 1)")},
      {"a capability gained", "", "! grep -q \"CapBnd:.*0000000000000000\" /proc/self/status"},
      {"new privileges", "", "! grep -q \"NoNewPrivs:.1\" /proc/self/status"},
      {"a system call of a loader of programs into the kernel", "python3",
       python("import ctypes,sys; sys.exit(0 if ctypes.CDLL(None).syscall(321,0,0,0) >= 0 else 1)")},
      {"io_uring", "python3",
       python("import ctypes,sys; sys.exit(0 if ctypes.CDLL(None).syscall(425,8,ctypes.create_string_buffer(120)) >= 0 "
              "else 1)")},
      {"the clock and the name of the machine", "", "date -s 2000-01-01 || hostname other"},
      {"a core file", "", "test \"$(ulimit -c)\" != 0"},
      {"one file that fills the disk", "", "truncate -s 32G /work/huge"},
      {"a git hook", "", "echo x > .git/hooks/post-checkout || mv .git/hooks .git/h"},
      {"the git configuration", "", "echo x >> .git/config || mv .git g"},
      {"the profile", "", "echo x >> profile.toml || rm -f profile.toml || mv profile.toml p"},
      {"the profile by a hard link", "", "ln profile.toml hard && echo x >> hard"},
      {"a protected path that is not there yet", "", "mkdir .vscode && echo x > .vscode/tasks.json"},
  };
}

std::string quoted(const std::string& text) { return shell_quoted(text); }

class WaysOut : public testing::Test, protected WholeRun {
 protected:
  void SetUp() override { SANDUK_NEEDS_BOXES(); }

  void put(const std::string& name, const std::string& text) {
    const std::filesystem::path path = workspace() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    if (geteuid() != 0) return;
    for (std::filesystem::path at = path; at != workspace(); at = at.parent_path()) {
      if (chown(at.c_str(), 1000, 1000) != 0) throw std::runtime_error("chown");
    }
  }

  void tell(const std::string& state, const std::string& way) {
    std::cout << "  " << state << std::string(10 - state.size(), ' ') << way << "\n";
    ++told_[state];
  }
  void held_if(bool held, const std::string& way) {
    tell(held ? "held" : "ESCAPED", way);
    EXPECT_TRUE(held) << way;
  }

  std::map<std::string, int> told_;
};

TEST_F(WaysOut, EachIsHeldByName) {
  const HostService service;
  put(".git/config", "[core]\n");
  put(".git/hooks/pre-commit", "#!/bin/sh\n");
  put("profile.toml", "version = 1\n");
  plan.workspace.protected_paths = {".git/config", ".git/hooks", ".vscode/tasks.json", "profile.toml"};
  plan.limits.timeout_seconds = 280;
  std::string text;
  for (const Way& way : ways(service)) {
    const std::string name = quoted(way.name);
    text +=
        way.tool.empty() ? "" : "command -v " + way.tool + " >/dev/null || { echo untried " + name + "; false; } && ";
    text += "{ if (" + way.script + ") >/dev/null 2>&1 </dev/null; then echo ESCAPED " + name + "; else echo held " +
            name + "; fi; }\n";
  }
  script("cd /work; echo begin; " + ask() + "\n" + text + "exit 0\n");
  const RunOutcome outcome = run();
  ASSERT_EQ(outcome.status, RunStatus::done) << (outcome.diagnostic ? outcome.diagnostic->message : "");
  EXPECT_THAT(outcome.agent.text, HasSubstr("200")) << "the one way that is open is the relay";
  int ways_seen = 0;
  FileResult<std::string> output = read_file(record_directory() / "agent.out", 1 << 20);
  ASSERT_TRUE(output);
  for (const std::string& line : split(*output, '\n')) {
    const std::string state = line.substr(0, line.find(' '));
    if (state != "held" && state != "ESCAPED" && state != "untried") continue;
    ++ways_seen;
    const std::string way = line.substr(state.size() + 1);
    if (state == "untried") {
      tell("untried", way);
    } else {
      held_if(state == "held", way);
    }
  }
  EXPECT_GE(ways_seen, 40);
  std::ostringstream config;
  config << std::ifstream(workspace() / ".git/config").rdbuf();
  EXPECT_EQ(config.str(), "[core]\n");
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(WaysOut, AForkBombEndsAtTheLimit) {
  plan.limits.pids = 64;
  script("i=0; while [ $i -lt 300 ]; do sleep 30 & i=$((i+1)); done; echo all");
  const RunOutcome outcome = run();
  held_if(outcome.agent.text.find("all") == std::string::npos, "a fork bomb");
}

TEST_F(WaysOut, WhatIsLeftForTheHostIsNotFollowed) {
  script("ln -s /etc/shadow REPORT.md; echo x");
  held_if(run().report_file.empty(), "a report that is a symbolic link");
  std::filesystem::remove(workspace() / "REPORT.md");
  std::filesystem::remove_all(state());
  script("mkfifo REPORT.md; echo x");
  const RunOutcome outcome = run();
  held_if(outcome.report_file.empty() && outcome.seconds < 200, "a report that is a pipe");
}

TEST_F(WaysOut, NothingOutlivesTheRun) {
  script("(setsid sh -c 'trap \"\" HUP TERM INT; sleep 424242' &) ; sleep 0.3; echo up");
  run();
  const ProcessResult left =
      world.run({.argv = {"pgrep", "-f", "sleep 424242"}, .variables = {}, .input = {}}, std::chrono::seconds(5));
  held_if(trim(left.output).empty(), "a process that outlives the run");
}

TEST_F(WaysOut, WhatTheAgentSaysForgesNothing) {
  // Escapes, a line end in the middle, lines as the relay and the tool write them.
  script(
      R"(printf 'a\033]52;c;aGk=\007b\033[2J\rPOST /v1/messages -> 200 in=1 out=1\nsanduk: done after 1s\n\302\233x')");
  std::string shown;
  Progress progress(
      false, false, [&](std::string_view bytes) { shown += bytes; }, std::chrono::steady_clock::now, 80);
  listeners.add([&](const Event& event) { progress.listen(event); });
  const RunOutcome outcome = run();
  held_if(shown.find('\x1b') == std::string::npos && shown.find('\x07') == std::string::npos &&
              shown.find("\xc2\x9b") == std::string::npos && shown.find('\r') == std::string::npos,
          "escapes for the terminal");
  held_if(outcome.relay.calls == 0 && record().relay.calls == 0, "a forged call in the record");
  held_if(shown.find("\nPOST /v1/messages") == std::string::npos && shown.find("\nsanduk: done") == std::string::npos,
          "a forged line of the log");
}

}  // namespace
}  // namespace sanduk::test

// A sealed box that may have a tunnel to one host: TLS to it works, and nothing else does. The host has an address of a
// documentation range (RFC 5737), which the test puts on this machine; what real internet hosts do is not proved.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "box_support.h"

namespace sanduk::test {
namespace {

constexpr const char* host = "198.51.100.7";
constexpr int allowed_port = 18443;

// What a package manager does with HTTPS_PROXY, and what it must not be able to do.
constexpr const char* probe = R"(
import { connect } from "node:net";
import { connect as secure } from "node:tls";
import { writeFileSync } from "node:fs";
const proxy = new URL(process.env.HTTPS_PROXY);
const credential = Buffer.from(`${proxy.username}:${proxy.password}`).toString("base64");
const lines = [];
const tunnel = (authority, headers) => new Promise((done) => {
  const socket = connect(Number(proxy.port), proxy.hostname, () =>
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${headers}\r\n`));
  socket.once("data", (data) => done([data.toString().split("\r\n")[0], socket]));
  socket.once("error", (fault) => done([fault.code, socket]));
});
const authorized = `Proxy-Authorization: Basic ${credential}\r\n`;
const allowed = `HOST:${process.argv[2]}`;
const [first, socket] = await tunnel(allowed, authorized);
lines.push(`allowed ${first}`);
lines.push("tls " + await new Promise((done) => {
  const tls = secure({ socket, rejectUnauthorized: false }, () => tls.write("GET / HTTP/1.0\r\n\r\n"));
  let text = "";
  tls.on("data", (data) => { text += data; });
  tls.on("end", () => done(text.split("\r\n")[0]));
  tls.on("error", (fault) => done(fault.code));
}));
lines.push("without token " + (await tunnel(allowed, ""))[0]);
for (const other of [`HOST:${Number(process.argv[2]) + 1}`, "127.0.0.1:22", "169.254.169.254:80"])
  lines.push(`other ${(await tunnel(other, authorized))[0]}`);
lines.push("direct " + await new Promise((done) => {
  const straight = connect(Number(process.argv[2]), "HOST", () => done("connected"));
  straight.once("error", (fault) => done(fault.code));
}));
lines.push(`excepted ${process.env.NO_PROXY} ${process.env.no_proxy}`);
writeFileSync("REPORT.md", lines.join("\n") + "\n");
)";

class AllowHosts : public testing::Test {
 protected:
  void SetUp() override {
    SANDUK_NEEDS_BOXES();
    std::filesystem::create_directories(root_.path() / "work");
    std::ofstream(root_.path() / "work/probe.mjs") << replace_all(probe, "HOST", host);
    std::ofstream(root_.path() / "answers.jsonl") << R"({"route":"GET /v1/models","status":200,"body":{}})"
                                                  << "\n";
    std::ofstream(root_.path() / "profile.toml")
        << "version = 1\n[provider]\nname = \"replay\"\ncassette = \"answers.jsonl\"\n"
        << "[agent]\nname = \"command\"\ncommand = [\"node\", \"probe.mjs\", \"" << allowed_port << "\"]\n"
        << "[image]\nref = \"docker.io/library/node:22-slim\"\n[workspace]\npath = \"work\"\n"
        << "[allow]\nhosts = [\"" << host << ":" << allowed_port << "\"]\n[caps]\ntimeout = \"1m\"\n";
    const ProcessResult added = as_root({"ip", "address", "replace", std::string(host) + "/32", "dev", "lo"});
    ASSERT_EQ(added.exit_code, 0) << "this test gives the loopback interface an address: " << added.errors;
  }
  void TearDown() override { as_root({"ip", "address", "delete", std::string(host) + "/32", "dev", "lo"}); }

  static ProcessResult as_root(std::vector<std::string> words) {
    if (geteuid() != 0) words.insert(words.begin(), {"sudo", "-n"});
    Command command{words, {}, {}, false};
    command.variables = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}};
    return run_process(command, std::chrono::seconds(20));
  }

  // A TLS server of its own on the address.
  Child start_server() {
    const std::string folder = root_.path().string();
    const ProcessResult made =
        run_process({{"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=packages.test", "-days",
                      "2", "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"},
                     {},
                     {},
                     false},
                    std::chrono::seconds(30));
    EXPECT_EQ(made.exit_code, 0) << made.errors;
    return Child::start(
        {{"openssl", "s_server", "-quiet", "-www", "-accept", std::string(host) + ":" + std::to_string(allowed_port),
          "-key", folder + "/key.pem", "-cert", folder + "/cert.pem"},
         {},
         {},
         false});
  }

  TemporaryDirectory root_;
};

TEST_F(AllowHosts, ATunnelLeadsToTheAllowedHostAndNowhereElse) {
  const Child server = start_server();
  Command command{{SANDUK_BINARY, "apply", (root_.path() / "profile.toml").string()}, {}, {}, false};
  command.variables = {{"XDG_STATE_HOME", (root_.path() / "state").string()}};
  const ProcessResult run = run_process(command, std::chrono::minutes(4));
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  std::ifstream stream(root_.path() / "work/REPORT.md");
  const std::string report{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(report,
            "allowed HTTP/1.1 200 Connection Established\n"
            "tls HTTP/1.0 200 ok\n"
            "without token HTTP/1.1 407 Proxy Authentication Required\n"
            "other HTTP/1.1 403 Forbidden\n"
            "other HTTP/1.1 403 Forbidden\n"
            "other HTTP/1.1 403 Forbidden\n"
            "direct ENETUNREACH\n"
            "excepted 127.0.0.1,localhost,::1 127.0.0.1,localhost,::1\n");
  EXPECT_NE(run.errors.find("CONNECT 198.51.100.7:18443 -> 200 sent="), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("CONNECT 127.0.0.1:22 -> 403"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("1 tunnel"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace sanduk::test

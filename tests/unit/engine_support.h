// A place of its own and a container engine that is a shell script, for tests of the engine layer.
#pragma once

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "base/world.h"
#include "engine/execute.h"
#include "engine/run_record.h"
#include "plan/plan.h"
#include "unit/engine_fake.h"

namespace sanduk::test {

class Place {
 public:
  Place() {
    std::string name = "/tmp/sdk-XXXXXX";
    path_ = mkdtemp(name.data());
    std::filesystem::create_directories(path_ / "work");
    std::filesystem::create_directories(path_ / "run");
    std::filesystem::create_directories(path_ / "fake");
  }
  ~Place() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }
  std::vector<std::string> list(const std::string& name) const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path_ / name, error)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::filesystem::path path_;
};

// Variables from the test, programs from the place: `docker` is the fake one, any other name is not there.
class FakeWorld : public World {
 public:
  explicit FakeWorld(const Place& place) : place_(place) {
    place.write("fake/docker", fake_engine);
    chmod((place / "fake/docker").c_str(), 0755);
    place.write("fake/image", "1000");
    agent("echo hello");
    variables["XDG_STATE_HOME"] = (place / "state").string();
    variables["XDG_RUNTIME_DIR"] = (place / "run").string();
    variables["TEST_KEY"] = "sk-test-0123456789abcdef";
  }

  // The script that stands for the container's whole inside.
  void agent(const std::string& script) const { place_.write("fake/agent", script + "\n"); }
  void fail(const std::string& verb, const std::string& words) const { place_.write("fake/fail-" + verb, words); }
  void slow(const std::string& verb, const std::string& seconds) const { place_.write("fake/slow-" + verb, seconds); }
  void after(const std::string& verb, const std::string& script) const { place_.write("fake/after-" + verb, script); }
  void well_again(const std::string& verb) const {
    std::filesystem::remove(place_ / ("fake/fail-" + verb));
    std::filesystem::remove(place_ / ("fake/slow-" + verb));
  }

  std::optional<std::string> variable(const std::string& name) const override {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }
  ProcessResult run(const Command& command, std::chrono::milliseconds timeout) override {
    return World::run(placed(command), timeout);
  }
  Child start(const Command& command) override { return World::start(placed(command)); }

  std::filesystem::path state() const { return place_ / "state/sanduk"; }
  std::vector<std::string> containers() const { return place_.list("fake/containers"); }
  std::string calls() const { return place_.read("fake/calls"); }
  // The one run's record. Fails the test by an exception where there is not exactly one.
  std::filesystem::path record_directory() const {
    const std::vector<std::string> runs = place_.list("state/sanduk/runs");
    return state() / "runs" / runs.at(0);
  }
  RunRecord record() const { return *load_run_record(record_directory()); }

  std::map<std::string, std::string> variables;

 private:
  Command placed(Command command) const {
    command.argv.at(0) = (place_ / ("fake/" + command.argv[0])).string();
    return command;
  }

  const Place& place_;
};

inline Plan make_plan(const Place& place) {
  Plan plan;
  plan.name = "test";
  plan.task = "Say hello.";
  plan.agent = {"command", {"/bin/true"}, {{"API_KEY", "{token}"}, {"API_URL", "{relay}"}}, "API_KEY", "plain", {}, {},
                {}};
  plan.image.ref = "test-image";
  plan.workspace.host_path = (place / "work").string();
  plan.workspace.report = "REPORT.md";
  plan.engines = {"docker"};
  plan.user = {1000, 1000};
  plan.limits = {1, std::int64_t{256} << 20, 64, 60};
  plan.relay.provider = "test";
  plan.relay.upstream = Upstream{"http", "127.0.0.1", 9};
  plan.relay.auth_header = "x-api-key";
  plan.relay.key_source = "none";
  plan.relay.routes = {{{"POST"}, "/v1/messages", Protocol::anthropic_messages, true}};
  return plan;
}

// True as soon as `condition` is, false when it is not within `seconds`.
template <class Condition>
bool eventually(Condition condition, double seconds = 10) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

// A stop_fd that the test writes to.
class StopPipe {
 public:
  StopPipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::abort();
    read_ = FileDescriptor(ends[0]);
    write_ = FileDescriptor(ends[1]);
  }
  int fd() const { return read_.get(); }
  void send(int signal) const { write_all(write_.get(), std::string(1, static_cast<char>(signal))); }

 private:
  FileDescriptor read_;
  FileDescriptor write_;
};

}  // namespace sanduk::test

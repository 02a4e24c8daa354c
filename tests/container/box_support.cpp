#include "box_support.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/embedded.h"
#include "base/files.h"
#include "base/secret.h"
#include "base/text.h"
#include "engine/engine_client.h"
#include "support/engines.h"

namespace sanduk::test {
namespace {

constexpr const char* test_image = "docker.io/library/node:22-slim";

std::string find_fault() {
  World world;
  const PlannedEngine& engine = test_engine();
  std::vector<std::string> ready = engine.ready;
  ready.insert(ready.begin(), engine.program);
  const ProcessResult answer = world.run({.argv = ready, .variables = {}, .input = {}}, std::chrono::seconds(20));
  if (!answer.started) return "no " + engine.name + " here: " + answer.error;
  if (!answer.ok()) return engine.name + " does not answer: " + answer.errors;
  const ProcessResult image =
      world.run({.argv = {engine.program, "image", "inspect", test_image}, .variables = {}, .input = {}},
                std::chrono::seconds(20));
  if (!image.ok()) return engine.name + " has no image " + std::string(test_image) + "; .ci/base-image makes it";
  return "";
}

// A plain user where the tests run as root; who runs them elsewhere.
std::int64_t box_user() { return geteuid() == 0 ? 1000 : static_cast<std::int64_t>(geteuid()); }

}  // namespace

const PlannedEngine& test_engine() {
  static const PlannedEngine engine = [] {
    const char* name = std::getenv("SANDUK_TEST_ENGINE");
    return engine_named(name == nullptr ? "docker" : name);
  }();
  return engine;
}

bool has_limits() {
  static const bool yes = [] {
    World world;
    return geteuid() == 0 || test_engine().rootless_userns.empty() || has_rootless_limits(world, test_engine());
  }();
  return yes;
}

std::string why_no_boxes() {
  static const std::string why = find_fault();
  return why;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = std::filesystem::temp_directory_path() / "sanduk-test-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

BoxRun::BoxRun() {
  const std::filesystem::path& root = root_.path();
  chmod(root.c_str(), 0755);
  for (const char* name : {"work", "socket", "helper", "guard", "guard/empty-directory"}) {
    std::filesystem::create_directory(root / name);
  }
  std::ofstream(root / "guard/empty-file");
  if (write_file_atomically(root / "helper/box", embedded_file("box").value_or(""), 0755))
    throw std::runtime_error("box");
  if (geteuid() == 0 && chown(workspace().c_str(), 1000, 1000) != 0) throw std::runtime_error("chown");
  relay = std::make_unique<StandInRelay>(root / "socket/relay.sock");

  plan.name = "test";
  plan.agent.variables = {{"API_BASE", "{relay}"}, {"API_TOKEN", "{token}"}};
  plan.agent.token_variable = "API_TOKEN";
  plan.workspace.host_path = workspace();
  plan.user = {box_user(), geteuid() == 0 ? 1000 : static_cast<std::int64_t>(getegid())};
  plan.limits.memory_bytes = std::int64_t{512} << 20;
  plan.limits.pids = 256;
  plan.limits.cpus = 1.5;

  names.run_id = "sanduk-test-" + random_hex(6);
  names.engine = test_engine();
  names.rootless = geteuid() != 0;
  names.without_limits = !has_limits();
  names.image = test_image;
  names.socket_directory = root / "socket";
  names.helper_directory = root / "helper";
  names.guard_directory = root / "guard";
  names.owner_pid = getpid();
  names.owner_start_time = "1";
  names.state_directory = root / "state";
}

BoxRun::~BoxRun() {
  remove();
  relay.reset();
}

ProcessResult BoxRun::create() {
  const PathLookup lookup = look_on_host(workspace());
  const std::vector<Cover> covers = covers_of(plan.workspace, lookup);
  auto made = make_mount_points(workspace(), missing_mount_points(plan, covers, lookup));
  if (!made) throw std::runtime_error(made.error().message);
  made_ = *made;
  created_ = true;
  return world.run({.argv = create_command(plan, names, covers),
                    .variables = inherited_variables(plan, Secret(token), Secret(key)),
                    .input = {}},
                   std::chrono::seconds(60));
}

ProcessResult BoxRun::run() {
  ProcessResult result = create();
  if (result.ok())
    result = world.run({.argv = start_command(names), .variables = {}, .input = {}}, std::chrono::seconds(120));
  remove();
  return result;
}

ProcessResult BoxRun::engine(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {test_engine().program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return world.run({.argv = argv, .variables = {}, .input = {}}, std::chrono::seconds(60));
}

void BoxRun::remove() {
  if (created_) world.run({.argv = remove_command(names), .variables = {}, .input = {}}, std::chrono::seconds(60));
  created_ = false;
  remove_mount_points(plan.workspace.host_path, made_);
  made_.clear();
}

void BoxRun::write(const std::string& relative, const std::string& text) const {
  const std::filesystem::path path = workspace() / relative;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
  if (geteuid() != 0) return;
  for (std::filesystem::path at = path; at != workspace(); at = at.parent_path()) {
    if (chown(at.c_str(), 1000, 1000) != 0) throw std::runtime_error("chown");
  }
}

std::string BoxRun::read(const std::string& relative) const {
  std::ostringstream text;
  text << std::ifstream(workspace() / relative).rdbuf();
  return text.str();
}

std::string BoxRun::tree() const {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(workspace())) {
    paths.insert(std::filesystem::relative(entry.path(), workspace()));
  }
  return join({paths.begin(), paths.end()}, "\n");
}

}  // namespace sanduk::test

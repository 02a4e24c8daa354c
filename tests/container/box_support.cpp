#include "box_support.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/secret.h"
#include "base/text.h"

namespace sanduk::test {
namespace {

constexpr const char* test_image = "docker.io/library/node:22-slim";

std::string find_fault() {
  World world;
  const ProcessResult answer =
      world.run({.argv = {"docker", "version", "--format", "{{.Server.Version}}"}, .variables = {}, .input = {}},
                std::chrono::seconds(20));
  if (!answer.started) return "no docker here: " + answer.error;
  if (!answer.ok()) return "docker does not answer: " + answer.errors;
  const ProcessResult image = world.run(
      {.argv = {"docker", "image", "inspect", test_image}, .variables = {}, .input = {}}, std::chrono::seconds(20));
  if (!image.ok()) return "docker has no image " + std::string(test_image) + "; .ci/base-image makes it";
  return "";
}

// A plain user where the tests run as root; who runs them elsewhere.
std::int64_t box_user() { return geteuid() == 0 ? 1000 : static_cast<std::int64_t>(geteuid()); }

}  // namespace

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

bool send_text(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string receive_some(int fd, int milliseconds) {
  pollfd waiting{fd, POLLIN, 0};
  if (poll(&waiting, 1, milliseconds) != 1) return "";
  std::string bytes(65536, '\0');
  const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

StandInRelay::StandInRelay(const std::filesystem::path& socket, int backlog) {
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener_, backlog) != 0) {
    throw std::runtime_error("cannot listen on " + socket.string());
  }
  chmod(socket.c_str(), 0666);
  acceptor_ = std::thread([this] { accept_all(); });
}

StandInRelay::~StandInRelay() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  for (const int fd : open_) close(fd);
}

std::string StandInRelay::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

std::string StandInRelay::report_head() const {
  const std::lock_guard lock(mutex_);
  return report_head_;
}

void StandInRelay::accept_all() {
  while (!stopping_) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const std::lock_guard lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd] { take(fd); });
  }
}

// The descriptor stays open, half of it shut, until the end: its number must not come again meanwhile.
void StandInRelay::take(int fd) {
  std::string bytes;
  std::size_t end;
  while ((end = bytes.find("\r\n\r\n")) == std::string::npos) {
    const std::string more = receive_some(fd, 60000);
    if (more.empty()) return;
    bytes += more;
  }
  const std::string head = bytes.substr(0, end + 4);
  if (head.starts_with("POST /.sanduk/box-report ")) {
    take_report(fd, head, bytes.substr(end + 4));
  } else if (serve) {
    serve(fd, head, bytes.substr(end + 4));
  }
  shutdown(fd, SHUT_RDWR);
}

void StandInRelay::take_report(int fd, const std::string& head, std::string body) {
  const std::string lower_head = lower(head);
  const std::size_t at = lower_head.find("content-length: ");
  const std::size_t size = std::stoul(lower_head.substr(at + 16));
  while (body.size() < size) {
    const std::string more = receive_some(fd);
    if (more.empty()) return;
    body += more;
  }
  {
    const std::lock_guard lock(mutex_);
    report_ = body;
    report_head_ = head;
  }
  send_text(fd, "HTTP/1.1 " + std::to_string(report_status) + " X\r\nContent-Length: " +
                    std::to_string(report_answer.size()) + "\r\nConnection: close\r\n\r\n" + report_answer);
}

BoxRun::BoxRun() {
  const std::filesystem::path& root = root_.path();
  chmod(root.c_str(), 0755);
  for (const char* name : {"work", "socket", "helper", "guard", "guard/empty-directory"}) {
    std::filesystem::create_directory(root / name);
  }
  std::ofstream(root / "guard/empty-file");
  std::filesystem::copy_file(SANDUK_BOX, root / "helper/box");
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
  names.engine = "docker";
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
  std::vector<std::string> argv = {"docker"};
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

#include "engine/record.h"

#include <Poco/SHA2Engine.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "base/secret.h"
#include "base/text.h"
#include "engine/codes.h"

namespace sanduk {
namespace {

constexpr std::size_t most_output = std::size_t{64} << 20;
constexpr std::size_t piece = std::size_t{32} << 10;
constexpr std::size_t most_text = std::size_t{256} << 10;

RunError unwritable(const FileError& why) {
  Diagnostic diagnostic =
      error(std::string(codes::record_unwritable), "the run's record cannot be written: " + why.message);
  diagnostic.with_help("make the state directory writable, or set XDG_STATE_HOME to one that is");
  return {Failure::host, diagnostic};
}

void or_throw(const std::optional<FileError>& error) {
  if (error) throw unwritable(*error);
}

std::string digest(const std::string& bytes) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(bytes);
  return "sha256:" + Poco::DigestEngine::digestToHex(engine.digest());
}

// "20260102-030405-" and 12 hexadecimal digits: sorted by time, and no two alike.
std::string make_run_id(const std::string& started) {
  std::string id;
  for (const char c : started.substr(0, 19)) {
    if (c >= '0' && c <= '9') id += c;
    if (c == 'T') id += '-';
  }
  return id + "-" + random_hex(6);
}

}  // namespace

void BoundedFile::append(std::string_view bytes) {
  if (full_) return;
  const std::string_view kept = bytes.substr(0, room_);
  pending_ += kept;
  room_ -= kept.size();
  if (kept.size() < bytes.size()) {
    full_ = true;
    pending_ += "\n[sanduk: the rest was not kept]\n";
  }
  if (full_ || pending_.size() >= piece) flush();
}

void BoundedFile::flush() {
  if (pending_.empty()) return;
  if (!file_) {
    FileResult<FileDescriptor> created = create_file(path_);
    if (created) file_ = std::move(*created);
  }
  if (!file_ || !write_all(file_.get(), pending_)) full_ = true;
  pending_.clear();
  if (full_) file_.close();
}

Record::Record(World& world, StateDirectory state, const Plan& plan, const std::string& plan_json)
    : world_(world),
      state_(std::move(state)),
      events_("", most_output),
      output_("", most_output),
      errors_("", most_output) {
  data_.started = timestamp(world.now());
  data_.run_id = make_run_id(data_.started);
  data_.container = "sanduk-" + data_.run_id.substr(data_.run_id.size() - 12);
  data_.plan_name = plan.name;
  data_.plan_digest = digest(plan_json);
  data_.owner = this_process();
  data_.image = plan.image.ref;
  data_.workspace = plan.workspace.host_path;

  if (state_.root.empty()) throw unwritable({"there is no home directory"});
  or_throw(make_private_directory(state_.root));
  or_throw(make_private_directory(state_.runs()));
  or_throw(make_private_directory(state_.live()));
  directory_ = state_.run(data_.run_id);
  if (mkdir(directory_.c_str(), 0700) != 0) {
    const std::string why = std::generic_category().message(errno);
    throw unwritable({"cannot create " + directory_.string() + ": " + why});
  }
  events_ = BoundedFile(directory_ / "events.jsonl", most_output);
  output_ = BoundedFile(directory_ / "agent.out", most_output);
  errors_ = BoundedFile(directory_ / "agent.err", most_output);
  or_throw(write_file_atomically(directory_ / "plan.json", plan_json));
  store();
  // Only now: a mark without a record would be nobody's.
  const FileResult<FileDescriptor> mark = create_file(state_.live_mark(data_.run_id));
  if (!mark) throw unwritable(mark.error());
}

void Record::store() { or_throw(store_run_record(directory_, data_)); }

void Record::update(const std::function<void(RunRecord&)>& change) {
  const std::lock_guard lock(mutex_);
  change(data_);
  store();
}

void Record::close(const std::function<void(RunRecord&)>& change) {
  const std::lock_guard lock(mutex_);
  change(data_);
  if (data_.agent.text.size() > most_text) data_.agent.text.resize(most_text);
  flush();
  if (store_run_record(directory_, data_)) return;
  std::error_code ignored;
  if (data_.state == RunState::ended) std::filesystem::remove(state_.live_mark(data_.run_id), ignored);
}

void Record::agent_output(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  output_.append(bytes);
}

void Record::agent_errors(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  errors_.append(bytes);
}

void Record::flush() {
  events_.flush();
  output_.flush();
  errors_.flush();
}

void Record::listen(const Event& event) {
  const std::lock_guard lock(mutex_);
  if (const auto* ended = std::get_if<StepEnded>(&event)) {
    data_.steps.push_back({ended->step, ended->seconds, ended->failure});
  }
  if (const auto* note = std::get_if<Note>(&event)) data_.notes.push_back(note->text);
  if (!events_.full()) {
    const std::string line = event_json(event, timestamp(world_.now()));
    if (!line.empty()) events_.append(line + "\n");
  }
  // An agent may say a great deal at once; the next tick is near.
  if (!std::holds_alternative<AgentSaid>(event) && !std::holds_alternative<AgentPrinted>(event)) flush();
}

}  // namespace sanduk

// What the box sent and got, kept outside of its reach: a digest for each call, or the bytes themselves in numbered
// files.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "plan/plan.h"

namespace sanduk {

class Transcript {
 public:
  // `log.directory` is filled in and existing where bodies are kept. `log` outlives the transcript.
  explicit Transcript(const PlannedLog& log) : log_(log) {}

  bool wants_digest() const { return log_.bodies != BodyLog::none; }
  bool wants_answers() const { return log_.responses; }

  // Writes the body's file where the plan wants one. Words when it cannot: a call that cannot be recorded is not made.
  std::optional<std::string> write_body(std::int64_t call_id, std::string_view body);

  // One file, written in pieces. A new file; the first fault ends it.
  class File {
   public:
    File(Transcript& transcript, std::int64_t call_id, const char* what);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void add(std::string_view bytes);
    const std::string& fault() const { return fault_; }

   private:
    Transcript& transcript_;
    std::filesystem::path path_;
    FileDescriptor file_;
    std::int64_t size_ = 0;
    std::string fault_;
  };

 private:
  struct Kept {
    std::filesystem::path path;
    std::int64_t size = 0;
  };
  // Enters a finished file, and removes the oldest ones beyond the plan's bound.
  void keep(Kept file);

  const PlannedLog& log_;
  std::mutex mutex_;
  std::deque<Kept> kept_;
  std::int64_t total_ = 0;
};

// SHA-256 as lower-case hexadecimal.
std::string sha256(std::string_view bytes);

}  // namespace sanduk

// Finds values at known paths in JSON that streams by, in memory that does not grow with it. Tolerant: it reads for
// information, not to judge.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

class JsonPathReader {
 public:
  // `path` as given to watch(); `scalar` is a number, true, false, null, or a string's raw text without its quotes.
  using Found = std::function<void(std::string_view path, std::string_view scalar)>;

  explicit JsonPathReader(Found found, std::size_t most_key = 128) : found_(std::move(found)), most_key_(most_key) {}

  // Keys joined by ".", "[]" for the elements of an array: "choices.[].finish_reason".
  void watch(std::string_view path) { watched_.emplace_back(path); }

  void feed(std::string_view bytes);
  // A new document begins.
  void reset();

 private:
  struct Level {
    bool array = false;
    std::size_t path_size = 0;  // of the container itself
  };
  enum class State { between, key, string, scalar, skip, skip_string };

  const char* take(const char* at, const char* end);
  const char* take_text(const char* at, const char* end, bool keep);
  const char* skip_value(const char* at, const char* end);
  void open(bool array);
  void close();
  void begin_value();
  void end_scalar();
  bool leads_somewhere() const;
  bool is_watched() const;

  Found found_;
  std::size_t most_key_;
  std::vector<std::string> watched_;
  State state_ = State::between;
  std::vector<Level> levels_;
  std::string path_;
  std::string text_;       // a key or a scalar, as far as it came
  bool too_long_ = false;  // the text was longer than most_key_
  bool escaped_ = false;
  bool expects_key_ = false;
  bool wanted_ = false;
  std::size_t skipped_levels_ = 0;
};

}  // namespace sanduk

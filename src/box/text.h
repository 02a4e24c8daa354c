// Text that grows, and JSON written into it: the little of a standard library that the helper needs. No exceptions, no
// iostream: the program stays small enough to be copied into every run.
#pragma once

#include <cstddef>

namespace sanduk::box {

// Bytes that grow up to a bound. What does not fit is dropped and remembered in `overflow`.
class Text {
 public:
  explicit Text(std::size_t most = std::size_t{4} << 20) : most_(most) {}
  ~Text();
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  void add(const char* bytes, std::size_t size);
  void add(const char* words);
  void add(char byte) { add(&byte, 1); }
  void add_number(long long value);
  void clear() { size_ = 0; }

  const char* data() const { return data_ == nullptr ? "" : data_; }
  const char* c_str();  // ends with a zero byte that is not part of it
  std::size_t size() const { return size_; }
  bool overflow() const { return overflow_; }

 private:
  bool reserve(std::size_t size);

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t most_;
  bool overflow_ = false;
};

// One JSON value, written in order. Bytes that are not UTF-8 come out as \u00XX, so that nothing is lost to a search.
class Json {
 public:
  explicit Json(Text& out) : out_(out) {}

  void begin(char bracket);
  void end(char bracket);
  void key(const char* name);
  void string(const char* value);
  void string(const char* value, std::size_t size);
  void number(long long value);
  void boolean(bool value);
  void null();

  void field(const char* name, const char* value) { key(name), string(value); }
  void field(const char* name, long long value) { key(name), number(value); }
  void flag(const char* name, bool value) { key(name), boolean(value); }

 private:
  void before();
  void quoted(const char* value, std::size_t size);

  Text& out_;
  bool first_ = true;
};

bool equal(const char* left, const char* right);
bool starts_with(const char* text, const char* prefix);

// "ok" for 0, else the name of an errno value: "EROFS".
const char* outcome(int code);

// The whole of a small file (at most `most` bytes) into `text`; false when it cannot be read.
bool read_small_file(const char* path, Text& text, std::size_t most = 65536);

// "sanduk box: WORDS: DETAIL" on standard error. `detail` may be null.
void say(const char* words, const char* detail = nullptr);

}  // namespace sanduk::box

#include "box/text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace sanduk::box {
namespace {

// Length of the valid UTF-8 sequence at `bytes`, 0 when there is none. Surrogates and overlong forms are not valid.
std::size_t utf8_length(const unsigned char* bytes, std::size_t left) {
  const unsigned lead = bytes[0];
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4)) return 0;
  if (length > left) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((bytes[i] & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && bytes[1] < 0xa0) return 0;
  if (lead == 0xed && bytes[1] > 0x9f) return 0;
  if (lead == 0xf0 && bytes[1] < 0x90) return 0;
  if (lead == 0xf4 && bytes[1] > 0x8f) return 0;
  return length;
}

}  // namespace

Text::~Text() { free(data_); }

bool Text::reserve(std::size_t size) {
  if (size <= capacity_) return true;
  std::size_t capacity = capacity_ == 0 ? 1024 : capacity_;
  while (capacity < size) capacity *= 2;
  char* data = static_cast<char*>(realloc(data_, capacity));
  if (data == nullptr) return false;
  data_ = data;
  capacity_ = capacity;
  return true;
}

void Text::add(const char* bytes, std::size_t size) {
  if (size == 0) return;
  if (size > most_ - size_ || !reserve(size_ + size)) {
    overflow_ = true;
    return;
  }
  memcpy(data_ + size_, bytes, size);
  size_ += size;
}

void Text::add(const char* words) { add(words, strlen(words)); }

void Text::add_number(long long value) {
  char digits[24];
  std::size_t at = sizeof digits;
  unsigned long long rest =
      value < 0 ? 0ULL - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value);
  do {
    digits[--at] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (value < 0) digits[--at] = '-';
  add(digits + at, sizeof digits - at);
}

const char* Text::c_str() {
  if (!reserve(size_ + 1)) return "";
  data_[size_] = '\0';
  return data_;
}

void Json::before() {
  if (!first_) out_.add(',');
  first_ = false;
}

void Json::begin(char bracket) {
  before();
  out_.add(bracket);
  first_ = true;
}

void Json::end(char bracket) {
  out_.add(bracket);
  first_ = false;
}

void Json::key(const char* name) {
  before();
  quoted(name, strlen(name));
  out_.add(':');
  first_ = true;
}

void Json::string(const char* value) { string(value, strlen(value)); }

void Json::string(const char* value, std::size_t size) {
  before();
  quoted(value, size);
}

void Json::number(long long value) {
  before();
  out_.add_number(value);
}

void Json::boolean(bool value) {
  before();
  out_.add(value ? "true" : "false");
}

void Json::null() {
  before();
  out_.add("null");
}

void Json::quoted(const char* value, std::size_t size) {
  static const char hex[] = "0123456789abcdef";
  out_.add('"');
  const auto* bytes = reinterpret_cast<const unsigned char*>(value);
  for (std::size_t at = 0; at < size;) {
    const unsigned char byte = bytes[at];
    const std::size_t length = utf8_length(bytes + at, size - at);
    if (byte == '"' || byte == '\\') {
      const char escape[] = {'\\', static_cast<char>(byte)};
      out_.add(escape, sizeof escape);
      ++at;
    } else if (byte < 0x20 || byte == 0x7f || length == 0) {
      const char escape[] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
      out_.add(escape, sizeof escape);
      ++at;
    } else {
      out_.add(value + at, length);
      at += length;
    }
  }
  out_.add('"');
}

bool equal(const char* left, const char* right) { return strcmp(left, right) == 0; }

bool starts_with(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

const char* outcome(int code) {
  if (code == 0) return "ok";
  const char* name = strerrorname_np(code);
  return name == nullptr ? "unknown error" : name;
}

bool read_small_file(const char* path, Text& text, std::size_t most) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  char block[4096];
  ssize_t got = 0;
  while (text.size() < most && ((got = read(fd, block, sizeof block)) > 0 || (got < 0 && errno == EINTR))) {
    if (got > 0) text.add(block, static_cast<std::size_t>(got));
  }
  close(fd);
  return got >= 0 || text.size() > 0;
}

void say(const char* words, const char* detail) {
  Text line;
  line.add("sanduk box: ");
  line.add(words);
  if (detail != nullptr) {
    line.add(": ");
    line.add(detail);
  }
  line.add('\n');
  const char* from = line.data();
  std::size_t left = line.size();
  while (left > 0) {
    const ssize_t written = write(STDERR_FILENO, from, left);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) from += written, left -= static_cast<std::size_t>(written);
  }
}

}  // namespace sanduk::box

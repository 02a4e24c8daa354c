#include "relay/json_path_reader.h"

#include <algorithm>

#include "relay/json_text.h"

namespace sanduk {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool ends_scalar(char c) { return c == ',' || c == '}' || c == ']' || is_blank(c); }

}  // namespace

void JsonPathReader::reset() {
  state_ = State::between;
  levels_.clear();
  path_.clear();
  text_.clear();
  too_long_ = escaped_ = expects_key_ = wanted_ = false;
  skipped_levels_ = 0;
}

void JsonPathReader::feed(std::string_view bytes) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) at = take(at, end);
}

const char* JsonPathReader::take(const char* at, const char* end) {
  switch (state_) {
    case State::key:
    case State::string:
      return take_text(at, end, state_ == State::key || wanted_);
    case State::skip:
    case State::skip_string:
      return skip_value(at, end);
    case State::scalar:
      if (ends_scalar(*at)) {
        end_scalar();
        return at;
      }
      if (text_.size() < most_key_) text_ += *at;
      return at + 1;
    case State::between:
      break;
  }
  const char c = *at;
  if (c == '}' || c == ']') {
    close();
  } else if (c == ',') {
    expects_key_ = !levels_.empty() && !levels_.back().array;
  } else if (c == '"' && expects_key_) {
    state_ = State::key;
    text_.clear();
    too_long_ = false;
  } else if (!is_blank(c) && c != ':') {
    begin_value();
    if (state_ == State::skip) return at;
    if (c == '{' || c == '[') {
      open(c == '[');
    } else if (c == '"') {
      state_ = State::string;
    } else {
      state_ = State::scalar;
      return at;
    }
  }
  return at + 1;
}

// A string, up to its closing quote or the end of what is there.
const char* JsonPathReader::take_text(const char* at, const char* end, bool keep) {
  const char* const begin = at;
  const char* stop = end;
  if (escaped_) {
    escaped_ = false;
    ++at;
  }
  while (at != end) {
    at = skip_plain_text(at, end);
    if (at == end) break;
    if (*at == '"') {
      stop = at;
      break;
    }
    if (*at == '\\') {
      if (at + 1 == end) {
        escaped_ = true;
        break;
      }
      ++at;
    }
    ++at;
  }
  if (keep) {
    const std::size_t size = static_cast<std::size_t>(stop - begin);
    too_long_ = too_long_ || text_.size() + size > most_key_;
    if (!too_long_) text_.append(begin, size);
  }
  if (stop == end) return end;
  if (state_ == State::key) {
    state_ = State::between;
    expects_key_ = false;
    path_.resize(levels_.empty() ? 0 : levels_.back().path_size);
    if (!path_.empty()) path_ += '.';
    // A key that was cut short must not look like a watched one.
    path_ += too_long_ ? "\n" : text_;
  } else {
    end_scalar();
  }
  return stop + 1;
}

bool JsonPathReader::leads_somewhere() const {
  return std::any_of(watched_.begin(), watched_.end(), [&](const std::string& watched) {
    return path_.empty() ||
           (watched.starts_with(path_) && (watched.size() == path_.size() || watched[path_.size()] == '.'));
  });
}

bool JsonPathReader::is_watched() const { return std::find(watched_.begin(), watched_.end(), path_) != watched_.end(); }

void JsonPathReader::begin_value() {
  if (!levels_.empty() && levels_.back().array) {
    path_.resize(levels_.back().path_size);
    path_ += path_.empty() ? "[]" : ".[]";
  }
  text_.clear();
  too_long_ = false;
  wanted_ = is_watched();
  if (!leads_somewhere()) {
    state_ = State::skip;
    skipped_levels_ = 0;
  }
}

void JsonPathReader::end_scalar() {
  state_ = State::between;
  if (wanted_ && !too_long_) found_(path_, text_);
  wanted_ = false;
}

// Watched paths bound the depth: a container that leads nowhere is skipped, not opened.
void JsonPathReader::open(bool array) {
  levels_.push_back({array, path_.size()});
  expects_key_ = !array;
}

void JsonPathReader::close() {
  if (levels_.empty()) return;
  path_.resize(std::min(path_.size(), levels_.back().path_size));
  levels_.pop_back();
  expects_key_ = false;
}

const char* JsonPathReader::skip_value(const char* at, const char* end) {
  while (at != end) {
    if (state_ == State::skip_string) {
      if (escaped_) {
        escaped_ = false;
        ++at;
        continue;
      }
      at = skip_plain_text(at, end);
      if (at == end) break;
      if (*at == '\\') escaped_ = true;
      if (*at == '"') state_ = State::skip;
      ++at;
      continue;
    }
    const char c = *at;
    if (c == '"') {
      state_ = State::skip_string;
    } else if (c == '{' || c == '[') {
      ++skipped_levels_;
    } else if (c == '}' || c == ']' || c == ',') {
      if (skipped_levels_ == 0) {
        state_ = State::between;
        return at;
      }
      if (c != ',') --skipped_levels_;
    }
    ++at;
  }
  return at;
}

}  // namespace sanduk

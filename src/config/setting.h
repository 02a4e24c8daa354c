// A value that knows where it was written.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace sanduk {

// Who said a value; later ones win.
enum class Layer { default_value, built_in, file, flag };

struct Origin {
  Layer layer = Layer::default_value;
  Span span;
  std::filesystem::path directory;  // relative paths in the value start here
};

// "default", "sanduk:sealed:3", "review.toml:9", "--model" …
std::string origin_text(const Origin& origin);

template <class T>
struct Setting {
  T value{};
  Origin origin{};

  // Somebody said it: absent and empty are different things.
  bool is_set() const { return origin.layer != Layer::default_value; }
  const T& operator*() const { return value; }
  const T* operator->() const { return &value; }
};

// The types of values beyond string, bool, integer and double.
struct Duration {
  std::int64_t seconds = 0;
};
struct ByteSize {
  std::int64_t bytes = 0;
};
struct FilePath {
  std::string text;  // as written; relative to its origin's directory; "~/" is the home directory
};
struct MountRequest {
  std::string host;
  std::string box;
  bool read_only = false;
  Span span{};
  std::filesystem::path directory{};
};
struct ListItem {
  std::string text;
  Span span{};
};
using TextList = std::vector<ListItem>;
struct MapItem {
  std::string text;
  Origin origin{};  // of the value
  Span key_span{};
};
using TextMap = std::map<std::string, MapItem>;
using MountList = std::vector<MountRequest>;
using ListMap = std::map<std::string, TextList>;

std::vector<std::string> texts(const TextList& list);

}  // namespace sanduk

// Which of two values lets a box do more: one rule a setting, used by locks, by ceilings and by `sanduk diff`.
#pragma once

#include <string>
#include <vector>

#include "config/setting.h"

namespace sanduk {

enum class Widens {
  never,       // a change is neither
  larger,      // a larger number
  unlimited,   // a larger number; absent is no limit
  later,       // a later word of `order`
  allowlist,   // more entries; absent allows everything
  grants,      // more entries; absent grants nothing
  guards,      // fewer entries
  turned_on,   // true
  turned_off,  // false
  replaced,    // any other value where there was one
  set,         // any other value, also where there was none
  ancestor,    // a directory above
  command,     // a source that runs a program
};

enum class Change { same, neutral, narrows, widens };

struct WidenRule {
  Widens kind = Widens::never;
  std::vector<std::string> order{};
};

// A value of any type, as far as a rule looks at it.
struct Comparable {
  bool is_set = false;
  double number = 0;  // of numbers, durations, sizes; 1 for true
  std::string text;   // of strings and paths; of all others as they are written
  std::vector<std::string> items;
};

Comparable comparable(const std::string& value);
Comparable comparable(const bool& value);
Comparable comparable(const std::int64_t& value);
Comparable comparable(const double& value);
Comparable comparable(const Duration& value);
Comparable comparable(const ByteSize& value);
Comparable comparable(const FilePath& value);
Comparable comparable(const TextList& value);
Comparable comparable(const TextMap& value);
Comparable comparable(const MountList& value);
Comparable comparable(const ListMap& value);

template <class T>
Comparable comparable(const Setting<T>& setting) {
  Comparable result = comparable(setting.value);
  result.is_set = setting.is_set();
  if constexpr (std::is_same_v<T, FilePath>) {
    // Two files may say the same words and mean different places.
    const std::filesystem::path path(setting.value.text);
    if (setting.is_set() && path.is_relative() && !setting.value.text.starts_with("~")) {
      result.text = (setting.origin.directory / path).lexically_normal().string();
    }
  }
  return result;
}

// What going from `before` to `after` does.
Change compare(const WidenRule& rule, const Comparable& before, const Comparable& after);

std::string change_name(Change change);

// "a larger value", "more entries" …; empty for rules under which nothing widens.
std::string widens_words(Widens kind);

}  // namespace sanduk

#include "config/widen.h"

#include <algorithm>

#include "base/files.h"
#include "config/convert.h"

namespace sanduk {
namespace {

bool holds(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// Whether `list` gives all that `item` gives: a mount that may be written may be read, too.
bool gives(const std::vector<std::string>& list, const std::string& item) {
  return holds(list, item) || (item.ends_with(":ro") && holds(list, item.substr(0, item.size() - 3)));
}

bool gives_all(const std::vector<std::string>& list, const std::vector<std::string>& items) {
  return std::all_of(items.begin(), items.end(), [&](const std::string& item) { return gives(list, item); });
}

// More on the right widens, less narrows.
template <class T>
Change by_amount(const T& before, const T& after) {
  return after > before ? Change::widens : after < before ? Change::narrows : Change::same;
}

Change by_entries(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  if (!gives_all(before, after)) return Change::widens;
  return gives_all(after, before) ? Change::same : Change::narrows;
}

std::size_t rank(const std::vector<std::string>& order, const std::string& word) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), word) - order.begin());
}

Change opposite(Change change) {
  return change == Change::widens ? Change::narrows : change == Change::narrows ? Change::widens : change;
}

bool equal(const Comparable& before, const Comparable& after) {
  return before.text == after.text && before.items == after.items;
}

Change by_directory(const std::string& before, const std::string& after) {
  const auto clean = [](const std::string& text) {
    std::filesystem::path path = std::filesystem::path(text).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
  };
  const std::filesystem::path old_place = clean(before);
  const std::filesystem::path new_place = clean(after);
  if (old_place == new_place) return Change::same;
  if (is_inside(old_place, new_place) || new_place == ".") return Change::widens;
  return is_inside(new_place, old_place) ? Change::narrows : Change::neutral;
}

}  // namespace

Comparable comparable(const std::string& value) { return {false, 0, value, {}}; }
Comparable comparable(const bool& value) { return {false, value ? 1.0 : 0.0, render_value(value), {}}; }
Comparable comparable(const std::int64_t& value) {
  return {false, static_cast<double>(value), render_value(value), {}};
}
Comparable comparable(const double& value) { return {false, value, render_value(value), {}}; }
Comparable comparable(const Duration& value) {
  return {false, static_cast<double>(value.seconds), render_value(value), {}};
}
Comparable comparable(const ByteSize& value) {
  return {false, static_cast<double>(value.bytes), render_value(value), {}};
}
Comparable comparable(const FilePath& value) { return {false, 0, value.text, {}}; }
Comparable comparable(const TextList& value) { return {false, 0, render_value(value), texts(value)}; }
Comparable comparable(const TextMap& value) { return {false, 0, render_value(value), {}}; }
Comparable comparable(const ListMap& value) { return {false, 0, render_value(value), {}}; }

Comparable comparable(const MountList& value) {
  Comparable result{false, 0, render_value(value), {}};
  for (const MountRequest& mount : value) {
    const std::filesystem::path host(mount.host);
    const bool stays = host.is_absolute() || mount.host.starts_with("~");
    const std::string place = stays ? mount.host : (mount.directory / host).lexically_normal().string();
    result.items.push_back(place + ":" + mount.box + (mount.read_only ? ":ro" : ""));
  }
  return result;
}

Change compare(const WidenRule& rule, const Comparable& before, const Comparable& after) {
  const Change any = equal(before, after) ? Change::same : Change::neutral;
  switch (rule.kind) {
    case Widens::never:
      return any;
    case Widens::larger:
    case Widens::turned_on:
      return by_amount(before.number, after.number);
    case Widens::turned_off:
      return by_amount(after.number, before.number);
    case Widens::unlimited:
      if (!before.is_set || !after.is_set) return by_amount(!before.is_set, !after.is_set);
      return by_amount(before.number, after.number);
    case Widens::later:
      return by_amount(rank(rule.order, before.text), rank(rule.order, after.text));
    case Widens::allowlist:
      if (!before.is_set || !after.is_set) return by_amount(!before.is_set, !after.is_set);
      return by_entries(before.items, after.items);
    case Widens::grants:
      return by_entries(before.items, after.items);
    case Widens::guards:
      return opposite(by_entries(before.items, after.items));
    case Widens::replaced:
    case Widens::set:
      return any == Change::same ? Change::same : Change::widens;
    case Widens::ancestor:
      return by_directory(before.text, after.text);
    case Widens::command:
      return any == Change::neutral && after.text.starts_with("command:") ? Change::widens : any;
  }
  return any;
}

std::string widens_words(Widens kind) {
  switch (kind) {
    case Widens::never:
      return "";
    case Widens::larger:
      return "a larger value";
    case Widens::unlimited:
      return "a larger value, or none";
    case Widens::later:
      return "a more open word";
    case Widens::allowlist:
      return "more entries, or no list";
    case Widens::grants:
      return "more entries";
    case Widens::guards:
      return "fewer entries";
    case Widens::turned_on:
      return "true";
    case Widens::turned_off:
      return "false";
    case Widens::replaced:
    case Widens::set:
      return "another value";
    case Widens::ancestor:
      return "a directory above";
    case Widens::command:
      return "a program to run";
  }
  return "";
}

std::string change_name(Change change) {
  switch (change) {
    case Change::same:
      return "same";
    case Change::neutral:
      return "neutral";
    case Change::narrows:
      return "narrows";
    case Change::widens:
      return "widens";
  }
  return "";
}

}  // namespace sanduk

#include "resolve/difference.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "diagnostics/mask.h"
#include "plan/plan_json.h"
#include "plan/plan_members.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

// The plan's members by the same rules as the settings that they come from. What is not named here is neutral.
const std::map<std::string, WidenRule>& plan_rules() {
  static const std::map<std::string, WidenRule> rules = {
      {"mode", {Widens::later, {"sealed", "key-safe", "open"}}},
      {"image.ref", {Widens::replaced}},
      {"image.containerfile", {Widens::replaced}},
      {"image.recipe", {Widens::set}},
      {"image.pins", {Widens::guards}},
      {"workspace.host_path", {Widens::ancestor}},
      {"workspace.protected", {Widens::guards}},
      {"workspace.mode", {Widens::later, {"ro", "copy", "rw"}}},
      {"strict_network", {Widens::turned_off}},
      {"transport", {Widens::later, {"socket", "gateway", "none"}}},
      {"oci_runtime", {Widens::replaced}},
      {"read_only_root", {Widens::turned_off}},
      {"writable", {Widens::grants}},
      {"mounts", {Widens::grants}},
      {"limits.cpus", {Widens::larger}},
      {"limits.memory_bytes", {Widens::larger}},
      {"limits.pids", {Widens::larger}},
      {"limits.timeout_seconds", {Widens::larger}},
      {"relay.provider", {Widens::replaced}},
      {"relay.upstream", {Widens::set}},
      {"relay.key_source", {Widens::command}},
      {"relay.key_check", {Widens::turned_off}},
      {"relay.routes", {Widens::grants}},
      {"relay.models", {Widens::allowlist}},
      {"relay.max_tokens", {Widens::unlimited}},
      {"relay.budget_calls", {Widens::unlimited}},
      {"relay.budget_tokens", {Widens::unlimited}},
      {"relay.budget_usd", {Widens::unlimited}},
      {"relay.prices", {Widens::replaced}},
      {"relay.hosts", {Widens::grants}},
      {"relay.server_tools", {Widens::turned_on}},
      {"relay.insecure_upstream", {Widens::turned_on}},
      {"log.bodies", {Widens::later, {"full", "digest", "none"}}},
      {"log.responses", {Widens::turned_off}},
      {"keep", {Widens::turned_on}},
  };
  return rules;
}

struct Member {
  std::string path;
  Comparable value;
};

// A plan as one list of values by path.
class Flattener {
 public:
  template <class T>
  void operator()(const char* name, T& member) {
    const std::string path = prefix_.empty() ? name : prefix_ + "." + name;
    add(path, member);
  }

  std::vector<Member> take() { return std::move(members_); }

 private:
  void put(const std::string& path, Comparable value) {
    value.is_set = true;
    members_.push_back({path, std::move(value)});
  }

  void add(const std::string& path, const std::string& value) { put(path, comparable(value)); }
  void add(const std::string& path, const bool& value) { put(path, comparable(value)); }
  void add(const std::string& path, const std::int64_t& value) { put(path, comparable(value)); }
  void add(const std::string& path, const double& value) { put(path, comparable(value)); }
  void add(const std::string& path, const NetworkMode& value) { put(path, comparable(mode_name(value))); }
  void add(const std::string& path, const Transport& value) { put(path, comparable(transport_name(value))); }
  void add(const std::string& path, const Protocol& value) { put(path, comparable(protocol_name(value))); }
  void add(const std::string& path, const BodyLog& value) { put(path, comparable(body_log_name(value))); }
  void add(const std::string& path, const WorkspaceMode& value) { put(path, comparable(workspace_mode_name(value))); }

  template <class T>
  void add(const std::string& path, const std::vector<T>& list) {
    Comparable value;
    for (const T& item : list) value.items.push_back(words(item));
    value.text = "[" + join(value.items, ", ") + "]";
    put(path, std::move(value));
  }

  template <class T>
  void add(const std::string& path, const std::optional<T>& value) {
    if (!value) {
      members_.push_back({path, {}});
    } else if constexpr (std::is_same_v<T, Upstream> || std::is_same_v<T, KeyCheck> ||
                         std::is_same_v<T, PlannedVerify>) {
      put(path, {true, 1, words(*value), {}});
    } else {
      add(path, *value);
    }
  }

  template <class T>
  requires requires(Flattener& v, T& m) { visit(v, m); }
  void add(const std::string& path, T& value) {
    const std::string outer = std::exchange(prefix_, path);
    visit(*this, value);
    prefix_ = outer;
  }

  static std::string words(const std::string& value) { return value; }
  static std::string words(const Variable& value) {
    return value.name + "=" + (is_credential_name(value.name) && !value.value.starts_with("{") ? "****" : value.value);
  }
  static std::string words(const PlannedMount& value) {
    return value.host_path + ":" + value.box_path + (value.read_only ? ":ro" : "");
  }
  static std::string words(const PlannedFile& value) { return value.path + " sha256:" + value.sha256.substr(0, 12); }
  static std::string words(const PlannedEngine& value) { return value.name; }
  static std::string words(const Upstream& value) {
    return value.scheme + "://" + value.host + ":" + std::to_string(value.port);
  }
  static std::string words(const AllowedHost& value) { return value.name + ":" + std::to_string(value.port); }
  static std::string words(const PlannedVerify& value) { return join(value.argv, " "); }
  static std::string words(const KeyCheck& value) { return "GET " + value.path; }
  static std::string words(const Price& value) {
    std::string text = value.model;
    for (const double amount : {value.in, value.out, value.cache_read, value.cache_write})
      text += " " + comparable(amount).text;
    if (value.long_context == 0) return text;
    return text + " above " + std::to_string(value.long_context) + " " + comparable(value.long_in).text + " " +
           comparable(value.long_out).text;
  }
  static std::string words(const Route& value) {
    // What is spoken on a path decides what is checked there.
    return join(value.methods, ",") + " " + value.path + " " + protocol_name(value.protocol) +
           (value.has_model ? " judged" : "");
  }

  std::string prefix_;
  std::vector<Member> members_;
};

std::vector<Member> members_of(const Plan& plan) {
  Plan copy = plan;
  Flattener flattener;
  visit(flattener, copy);
  return flattener.take();
}

std::vector<std::string> missing_from(const std::vector<std::string>& list, const std::vector<std::string>& items) {
  std::vector<std::string> result;
  for (const std::string& item : items) {
    if (std::find(list.begin(), list.end(), item) == list.end()) result.push_back(masked(item));
  }
  return result;
}

Difference difference(const std::string& key, const WidenRule& rule, const Comparable& before,
                      const Comparable& after) {
  Difference result;
  result.key = key;
  result.change = compare(rule, before, after);
  result.removed = missing_from(after.items, before.items);
  result.added = missing_from(before.items, after.items);
  return result;
}

// A value that is only there by default and says nothing is not shown as one.
std::string shown(const std::string& value, bool is_set) {
  const bool says_nothing = value.empty() || value == "\"\"" || value == "[]" || value == "{}" || value == "0";
  return !is_set && says_nothing ? "" : masked(value);
}

}  // namespace

std::vector<Difference> differences(const Profile& before, const Profile& after) {
  std::vector<Difference> result;
  for (const Field<Profile>& row : profile_fields()) {
    const Comparable left = row.comparable(before);
    const Comparable right = row.comparable(after);
    Difference found = difference(row.path, row.rule, left, right);
    found.before = shown(row.value(before), left.is_set);
    found.after = shown(row.value(after), right.is_set);
    if (found.change == Change::same && found.before == found.after) continue;
    if (found.change == Change::same) found.change = Change::neutral;
    found.before_origin = origin_text(row.origin(before));
    found.after_origin = origin_text(row.origin(after));
    result.push_back(std::move(found));
  }
  return result;
}

std::vector<Difference> differences(const Plan& before, const Plan& after) {
  const std::vector<Member> left = members_of(before);
  const std::vector<Member> right = members_of(after);
  std::vector<Difference> result;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto rule = plan_rules().find(left[i].path);
    Difference found = difference(left[i].path, rule == plan_rules().end() ? WidenRule{} : rule->second, left[i].value,
                                  right[i].value);
    if (found.change == Change::same) continue;
    found.before = masked(left[i].value.text);
    found.after = masked(right[i].value.text);
    result.push_back(std::move(found));
  }
  return result;
}

}  // namespace sanduk

#include "relay/policy.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "relay/json_scanner.h"
#include "relay/protocol.h"

namespace sanduk {
namespace {

// Every key that decides what a call does or costs. Two of one name are refused, whichever the provider would take.
constexpr std::array<std::string_view, 9> policy_keys = {
    "model",  "models",         "preset",  "max_tokens", "max_output_tokens", "max_completion_tokens",
    "stream", "stream_options", "thinking"};

constexpr std::int64_t most_tokens = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t usual_cap = 4096;  // reserved for a call that names no cap
constexpr std::size_t most_fallbacks = 256;
constexpr std::int64_t least_thinking = 1024;  // the provider takes no smaller thinking budget

class Judge {
 public:
  Judge(std::string_view body, const Route& route, const PlannedRelay& plan, std::size_t depth)
      : body_(body), plan_(plan), facts_(facts_of(route.protocol)), depth_(depth) {}

  Judgement run() {
    if (const std::optional<JsonFault> fault = scan_object(body_, policy_keys, depth_, object_)) {
      refuse(bad_request("the request body is not acceptable JSON: " + fault->why + " at byte " +
                         std::to_string(fault->at)));
      return std::move(result_);
    }
    judge_keys();
    judge_models();
    if (facts_ != nullptr) {
      judge_stream();
      judge_caps();
      ask_for_usage();
    }
    finish_edits();
    return std::move(result_);
  }

 private:
  // The first refusal stands.
  void refuse(Refusal refusal) {
    if (!result_.refusal) result_.refusal = std::move(refusal);
  }

  const JsonMember* member(std::string_view name) const {
    const auto found = std::find_if(object_.members.begin(), object_.members.end(),
                                    [&](const JsonMember& one) { return one.name == name; });
    return found == object_.members.end() ? nullptr : &*found;
  }

  // A member that says something: null counts as not there.
  const JsonMember* given(std::string_view name) const {
    const JsonMember* const found = member(name);
    return found != nullptr && found->value.kind == JsonKind::null ? nullptr : found;
  }

  std::string_view text_of(const JsonMember& one) const { return one.value.in(body_); }

  void judge_keys() {
    for (std::size_t i = 0; i < object_.members.size(); ++i) {
      const JsonMember& one = object_.members[i];
      if (!one.exact) {
        refuse(bad_request("the key \"" + printable(one.name) +
                           "\" is one of the request's own fields in another spelling"));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (object_.members[j].name == one.name)
          refuse(bad_request("the key \"" + one.name + "\" stands twice in the request"));
      }
      if (i > policy_keys.size()) return;
    }
  }

  void judge_name(std::string_view literal) {
    const std::optional<std::string> name = unescape_json(literal);
    if (!name || name->find('\0') != std::string::npos) return refuse(bad_request("a broken model name"));
    if (result_.model.empty()) result_.model = *name;
    if (!plan_.models) return;
    if (std::find(plan_.models->begin(), plan_.models->end(), *name) != plan_.models->end()) return;
    refuse(forbidden("the model \"" + printable(*name) + "\" is not allowed here; allowed: " +
                     (plan_.models->empty() ? "none" : join(*plan_.models, ", "))));
  }

  void judge_models() {
    const JsonMember* const model = member("model");
    const JsonMember* const fallbacks = given("models");
    if (model != nullptr && model->value.kind != JsonKind::string)
      return refuse(bad_request("\"model\" must be a string"));
    if (model != nullptr) judge_name(text_of(*model));
    if (fallbacks != nullptr) judge_fallbacks(*fallbacks);
    if (plan_.models && model == nullptr && fallbacks == nullptr) {
      refuse(forbidden("the request names no model, and only some models are allowed here"));
    }
    if (plan_.models && given("preset") != nullptr) {
      refuse(forbidden("a preset may choose another model, and only some models are allowed here"));
    }
  }

  void judge_fallbacks(const JsonMember& models) {
    std::vector<JsonValue> names;
    const std::string_view text = text_of(models);
    if (models.value.kind != JsonKind::array || scan_array(text, depth_, most_fallbacks, names)) {
      return refuse(bad_request("\"models\" must be a list of strings"));
    }
    for (const JsonValue& name : names) {
      if (name.kind != JsonKind::string) return refuse(bad_request("\"models\" must be a list of strings"));
      judge_name(name.in(text));
    }
  }

  void judge_stream() {
    const JsonMember* const stream = given("stream");
    if (stream == nullptr) return;
    if (stream->value.kind != JsonKind::boolean) return refuse(bad_request("\"stream\" must be true or false"));
    result_.stream = text_of(*stream) == "true";
  }

  // A whole number as a cap must be; one that is too large to count counts as very large.
  std::optional<std::int64_t> whole_number(std::string_view text) {
    const bool digits =
        !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) return std::nullopt;
    return std::min(parse_decimal(text).value_or(most_tokens), most_tokens);
  }

  void replace(const JsonValue& value, std::int64_t number) {
    result_.edits.push_back({value.begin, value.end - value.begin, std::to_string(number)});
  }

  void insert(std::string_view member) { result_.edits.push_back({object_.inside, 0, std::string(member) + ","}); }

  void judge_caps() {
    std::optional<std::int64_t> cap;
    std::optional<std::int64_t> asked;
    const JsonMember* unset = nullptr;
    for (const std::string_view name : facts_->caps) {
      const JsonMember* const field = member(name);
      if (field == nullptr) continue;
      if (field->value.kind == JsonKind::null && facts_->null_cap_means_none) {
        if (unset == nullptr) unset = field;
        continue;
      }
      const std::optional<std::int64_t> number =
          field->value.kind == JsonKind::number ? whole_number(text_of(*field)) : std::nullopt;
      if (!number) return refuse(bad_request("\"" + std::string(name) + "\" must be a whole number, not negative"));
      asked = std::max(asked.value_or(0), *number);
      const std::int64_t kept = plan_.max_tokens ? std::min(*number, *plan_.max_tokens) : *number;
      if (kept != *number) replace(field->value, kept);
      cap = std::max(cap.value_or(0), kept);
    }
    if (!cap && plan_.max_tokens && !facts_->missing_cap.empty()) {
      cap = *plan_.max_tokens;
      if (unset != nullptr) {
        replace(unset->value, *cap);
      } else {
        insert("\"" + std::string(facts_->missing_cap) + "\":" + std::to_string(*cap));
      }
    }
    if (facts_->thinking_below_cap && cap && asked && *cap < *asked) keep_thinking_below(*cap);
    result_.estimate = cap.value_or(usual_cap) + static_cast<std::int64_t>(body_.size() / 4);
  }

  // A clamped cap would make the provider refuse a thinking budget that was below the original one.
  void keep_thinking_below(std::int64_t cap) {
    static constexpr std::array<std::string_view, 1> keys = {"budget_tokens"};
    const JsonMember* const thinking = given("thinking");
    if (thinking == nullptr) return;
    JsonObject inner;
    const std::string_view text = text_of(*thinking);
    if (thinking->value.kind != JsonKind::object || scan_object(text, keys, depth_, inner)) {
      return refuse(bad_request("\"thinking\" must be an object"));
    }
    if (inner.members.empty()) return;
    const JsonMember& field = inner.members.front();
    if (inner.members.size() > 1 || !field.exact)
      return refuse(bad_request("\"thinking.budget_tokens\" stands twice in the request"));
    const std::optional<std::int64_t> number = whole_number(field.value.in(text));
    if (!number) return refuse(bad_request("\"thinking.budget_tokens\" must be a whole number"));
    if (*number < cap) return;
    if (cap - 1 < least_thinking) {
      return refuse(bad_request("thinking needs a budget of at least " + std::to_string(least_thinking) +
                                " tokens below max_tokens, and a call may take at most " + std::to_string(cap) +
                                " here: turn thinking off or raise the cap"));
    }
    const std::size_t offset = thinking->value.begin;
    replace({JsonKind::number, offset + field.value.begin, offset + field.value.end}, cap - 1);
  }

  void ask_for_usage() {
    if (!plan_.ask_for_usage || !facts_->can_ask_for_usage || !result_.stream) return;
    static constexpr std::array<std::string_view, 1> keys = {"include_usage"};
    const JsonMember* const options = member("stream_options");
    if (options == nullptr) return insert("\"stream_options\":{\"include_usage\":true}");
    if (options->value.kind == JsonKind::null) {
      result_.edits.push_back({options->value.begin, 4, "{\"include_usage\":true}"});
      return;
    }
    JsonObject inner;
    // Anything but an object is the provider's to refuse; a client that said no is left alone.
    if (options->value.kind != JsonKind::object || scan_object(text_of(*options), keys, depth_, inner)) return;
    if (inner.members.size() > 1) return refuse(bad_request("\"include_usage\" stands twice in the request"));
    if (!inner.members.empty()) return;
    result_.edits.push_back(
        {options->value.begin + inner.inside, 0, inner.empty ? "\"include_usage\":true" : "\"include_usage\":true,"});
  }

  void finish_edits() {
    std::stable_sort(result_.edits.begin(), result_.edits.end(),
                     [](const Edit& a, const Edit& b) { return a.at < b.at; });
    if (object_.empty && !result_.edits.empty()) result_.edits.back().text.pop_back();
  }

  std::string_view body_;
  const PlannedRelay& plan_;
  const ProtocolFacts* facts_;
  std::size_t depth_;
  JsonObject object_;
  Judgement result_;
};

}  // namespace

bool has_policy(const Route& route) { return route.has_model || route.protocol != Protocol::none; }

Judgement judge_body(std::string_view body, const Route& route, const PlannedRelay& plan, std::size_t depth) {
  return Judge(body, route, plan, depth).run();
}

}  // namespace sanduk

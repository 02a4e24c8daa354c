#include "relay/policy.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "relay/json_scanner.h"
#include "relay/protocol.h"
#include "relay/server_tools.h"

namespace sanduk {
namespace {

// Every key that decides what a call does or costs. Two of one name are refused, whichever the provider would take.
constexpr std::array<std::string_view, 19> policy_keys = {"model",
                                                          "prompt",
                                                          "models",
                                                          "preset",
                                                          "max_tokens",
                                                          "max_output_tokens",
                                                          "max_completion_tokens",
                                                          "stream",
                                                          "thinking",
                                                          "n",
                                                          "generationConfig",
                                                          "generation_config",
                                                          "stream_options",
                                                          "tools",
                                                          "mcp_servers",
                                                          "plugins",
                                                          "service_tier",
                                                          "speed",
                                                          "web_search_options"};

constexpr std::int64_t most_tokens = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t usual_cap = 4096;  // reserved for a call that names no cap
constexpr std::int64_t always_taken_cap = 16384;
constexpr std::int64_t most_answers = 1024;
constexpr std::size_t most_fallbacks = 256;
constexpr std::int64_t least_thinking = 1024;  // the provider takes no smaller thinking budget

class Judge {
 public:
  Judge(std::string_view body, const Rules& rules)
      : body_(body), rules_(rules), plan_(rules.plan), facts_(facts_of(rules.route.protocol)), depth_(rules.depth) {}

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
      judge_tools();
      judge_price_words();
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

  void judge_literal(std::string_view literal) {
    std::optional<std::string> name = unescape_json(literal);
    if (!name || name->find('\0') != std::string::npos) return refuse(bad_request("a broken model name"));
    judge_name(std::move(*name));
  }

  void judge_name(std::string name) {
    if (result_.model.empty()) result_.model = name;
    if (!plan_.server_tools && name.ends_with(":online")) {
      refuse(
          forbidden("the model suffix :online searches the web, which this run does not allow (allow.server_tools)"));
    }
    if (!plan_.models) return;
    if (std::find(plan_.models->begin(), plan_.models->end(), name) != plan_.models->end()) return;
    refuse(forbidden("the model \"" + printable(name) + "\" is not allowed here; allowed: " +
                     (plan_.models->empty() ? "none" : join(*plan_.models, ", "))));
  }

  // The path says which model it is: a body that names one, too, could only disagree.
  void judge_path_model() {
    judge_name(std::string(rules_.path_model));
    for (const std::string_view name : {"model", "models"}) {
      const JsonMember* const one = given(name);
      const std::string same = "\"models/" + std::string(rules_.path_model) + "\"";
      if (one != nullptr && text_of(*one) != same) {
        refuse(bad_request("the body names a model, and the path does already"));
      }
    }
  }

  void judge_models() {
    if (!rules_.path_model.empty()) return judge_path_model();
    const JsonMember* const model = member("model");
    const JsonMember* const fallbacks = given("models");
    if (model != nullptr && model->value.kind != JsonKind::string)
      return refuse(bad_request("\"model\" must be a string"));
    if (model != nullptr) judge_literal(text_of(*model));
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
      judge_literal(name.in(text));
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

  void judge_tools() {
    if (plan_.server_tools && !prices_count()) return;
    const std::optional<std::string> tool = server_tool_in(body_, object_, facts_->protocol, depth_);
    if (!tool) return;
    refuse(forbidden("the provider would run the tool \"" + printable(*tool) + "\" itself" +
                     (plan_.server_tools ? ", at a price that the run's money budget does not know"
                                         : ", which this run does not allow (allow.server_tools)")));
  }

  // The plan's prices are what money is counted by.
  bool prices_count() const { return plan_.budget_usd && !plan_.provider_reports_cost; }

  // Words of a request that raise the price above the table's.
  void judge_price_words() {
    if (!prices_count()) return;
    for (const std::string_view name : {"service_tier", "speed"}) {
      const JsonMember* const one = given(name);
      if (one == nullptr) continue;
      const std::string_view text = text_of(*one);
      static constexpr std::array<std::string_view, 6> usual = {"\"auto\"",          "\"default\"", "\"standard\"",
                                                                "\"standard_only\"", "\"flex\"",    "\"normal\""};
      if (std::find(usual.begin(), usual.end(), text) != usual.end()) continue;
      refuse(forbidden("\"" + std::string(name) + "\" may raise the price, and this run has a money budget"));
    }
  }

  // A member of an object inside the body, whose text begins at `offset`.
  struct Inner {
    JsonObject object;
    std::size_t offset = 0;
    std::string_view text;
  };

  // The objects that may hold the caps: the body itself, or each of its fields of that name.
  std::vector<Inner> cap_holders() {
    std::vector<std::string_view> wanted = facts_->caps;
    wanted.insert(wanted.end(), facts_->answers.begin(), facts_->answers.end());
    if (facts_->cap_objects.empty()) return {{object_, 0, body_}};
    std::vector<Inner> holders;
    for (const std::string_view name : facts_->cap_objects) {
      const JsonMember* const field = given(name);
      if (field == nullptr) continue;
      Inner inner{{}, field->value.begin, text_of(*field)};
      const bool plain =
          field->value.kind == JsonKind::object && !scan_object(inner.text, wanted, depth_, inner.object);
      for (const JsonMember& one : inner.object.members) {
        const auto twins = std::count_if(inner.object.members.begin(), inner.object.members.end(),
                                         [&](const JsonMember& other) { return other.name == one.name; });
        if (!one.exact || twins > 1) refuse(bad_request("\"" + printable(one.name) + "\" is not plain in the request"));
      }
      if (!plain) refuse(bad_request("\"" + std::string(name) + "\" must be an object"));
      holders.push_back(std::move(inner));
    }
    return holders;
  }

  std::int64_t count_answers(const std::vector<Inner>& holders) {
    std::int64_t answers = 1;
    for (const Inner& holder : holders) {
      for (const JsonMember& one : holder.object.members) {
        if (std::find(facts_->answers.begin(), facts_->answers.end(), one.name) == facts_->answers.end()) continue;
        if (one.value.kind == JsonKind::null) continue;
        const std::optional<std::int64_t> number = whole_number(one.value.in(holder.text));
        if (!number || *number < 1 || *number > most_answers) {
          refuse(bad_request("\"" + one.name + "\" must be a whole number from 1 to " + std::to_string(most_answers)));
        } else {
          answers = std::max(answers, *number);
        }
      }
    }
    return answers;
  }

  // The plan's cap of one answer, and what is left of the budgets.
  std::optional<std::int64_t> most_of_one_answer(std::int64_t answers) {
    std::optional<std::int64_t> most = plan_.max_tokens;
    const std::optional<std::int64_t> rest = rules_.rest ? rules_.rest(result_.model, result_.in_tokens) : std::nullopt;
    if (rest) most = std::min(most.value_or(most_tokens), std::max<std::int64_t>(*rest / answers, 1));
    return most;
  }

  void judge_caps() {
    const std::vector<Inner> holders = cap_holders();
    if (result_.refusal) return;
    result_.in_tokens = static_cast<std::int64_t>(body_.size() / 4);
    const std::int64_t answers = count_answers(holders);
    const std::optional<std::int64_t> most = most_of_one_answer(answers);
    std::optional<std::int64_t> cap;
    std::optional<std::int64_t> asked;
    std::optional<JsonValue> unset;
    for (const Inner& holder : holders) {
      for (const std::string_view name : facts_->caps) {
        const auto field = std::find_if(holder.object.members.begin(), holder.object.members.end(),
                                        [&](const JsonMember& one) { return one.name == name; });
        if (field == holder.object.members.end()) continue;
        const JsonValue place = {field->value.kind, holder.offset + field->value.begin,
                                 holder.offset + field->value.end};
        if (place.kind == JsonKind::null && facts_->null_cap_means_none) {
          if (!unset) unset = place;
          continue;
        }
        const std::optional<std::int64_t> number =
            place.kind == JsonKind::number ? whole_number(place.in(body_)) : std::nullopt;
        if (!number) return refuse(bad_request("\"" + std::string(name) + "\" must be a whole number, not negative"));
        asked = std::max(asked.value_or(0), *number);
        const std::int64_t kept = most ? std::min(*number, *most) : *number;
        if (kept != *number) replace(place, kept);
        cap = std::max(cap.value_or(0), kept);
      }
    }
    // A provider may refuse a cap above what its model can do: one that nobody asked for is set when it is small.
    const bool sets_cap = most && (plan_.max_tokens || *most <= always_taken_cap);
    if (!cap && sets_cap && !facts_->missing_cap.empty()) {
      cap = *most;
      if (unset) {
        replace(*unset, *cap);
      } else {
        insert_cap(holders, *cap);
      }
    }
    if (facts_->thinking_below_cap && cap && asked && *cap < *asked) keep_thinking_below(*cap);
    result_.out_tokens = std::min(cap.value_or(usual_cap), most_tokens / answers) * answers;
  }

  void insert_cap(const std::vector<Inner>& holders, std::int64_t cap) {
    const std::string member = "\"" + std::string(facts_->missing_cap) + "\":" + std::to_string(cap);
    if (facts_->cap_objects.empty()) return insert(member);
    if (holders.empty()) return insert_holder(member);
    const Inner& holder = holders.front();
    result_.edits.push_back({holder.offset + holder.object.inside, 0, member + (holder.object.empty ? "" : ",")});
  }

  // The object of the caps is not there, or is null.
  void insert_holder(const std::string& inside) {
    for (const std::string_view name : facts_->cap_objects) {
      if (const JsonMember* const null = member(name)) {
        result_.edits.push_back({null->value.begin, null->value.end - null->value.begin, "{" + inside + "}"});
        return;
      }
    }
    insert("\"" + std::string(facts_->cap_objects.front()) + "\":{" + inside + "}");
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
    if (cap - 1 < least_thinking && (!plan_.max_tokens || cap < *plan_.max_tokens)) {
      return refuse(over_budget("what is left of the run's budget is too little for a call that thinks"));
    }
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
  const Rules& rules_;
  const PlannedRelay& plan_;
  const ProtocolFacts* facts_;
  std::size_t depth_;
  JsonObject object_;
  Judgement result_;
};

}  // namespace

bool has_policy(const Route& route) { return route.has_model || route.protocol != Protocol::none; }

Judgement judge_body(std::string_view body, const Rules& rules) { return Judge(body, rules).run(); }

}  // namespace sanduk

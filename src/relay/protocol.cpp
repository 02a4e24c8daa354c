#include "relay/protocol.h"

namespace sanduk {
namespace {

const std::vector<ProtocolFacts>& table() {
  static const std::vector<ProtocolFacts> facts = {
      {Protocol::anthropic_messages,
       {"max_tokens"},
       "",
       {},
       {},
       false,
       true,
       false,
       false,
       {{"usage.input_tokens", Counter::in},
        {"usage.cache_creation_input_tokens", Counter::cache_write},
        {"usage.cache_read_input_tokens", Counter::cache_read},
        {"usage.output_tokens", Counter::out},
        {"message.usage.input_tokens", Counter::in},
        {"message.usage.cache_creation_input_tokens", Counter::cache_write},
        {"message.usage.cache_read_input_tokens", Counter::cache_read},
        {"message.usage.output_tokens", Counter::out},
        {"usage.cost", Counter::cost}}},
      {Protocol::openai_responses,
       {"max_output_tokens"},
       "max_output_tokens",
       {},
       {},
       true,
       false,
       false,
       true,
       {{"response.usage.input_tokens", Counter::in},
        {"response.usage.input_tokens_details.cache_write_tokens", Counter::cache_write},
        {"response.usage.input_tokens_details.cached_tokens", Counter::cache_read},
        {"response.usage.output_tokens", Counter::out},
        {"response.usage.cost", Counter::cost},
        {"usage.input_tokens", Counter::in},
        {"usage.input_tokens_details.cache_write_tokens", Counter::cache_write},
        {"usage.input_tokens_details.cached_tokens", Counter::cache_read},
        {"usage.output_tokens", Counter::out},
        {"usage.cost", Counter::cost}}},
      {Protocol::openai_chat,
       {"max_completion_tokens", "max_tokens"},
       "max_completion_tokens",
       {},
       {"n"},
       true,
       false,
       true,
       true,
       {{"usage.prompt_tokens", Counter::in},
        {"usage.prompt_tokens_details.cache_write_tokens", Counter::cache_write},
        {"usage.prompt_tokens_details.cached_tokens", Counter::cache_read},
        {"usage.completion_tokens", Counter::out},
        {"usage.cost", Counter::cost}}},
      // https://ai.google.dev/api/generate-content. Protobuf's JSON takes both spellings of a name. Without alt=sse a
      // streamed answer is an array.
      {Protocol::gemini_generate,
       {"maxOutputTokens", "max_output_tokens"},
       "maxOutputTokens",
       {"generationConfig", "generation_config"},
       {"candidateCount", "candidate_count"},
       true,
       false,
       false,
       true,
       {{"usageMetadata.promptTokenCount", Counter::in},
        {"usageMetadata.cachedContentTokenCount", Counter::cache_read},
        {"usageMetadata.candidatesTokenCount", Counter::out},
        {"usageMetadata.thoughtsTokenCount", Counter::thinking},
        {"[].usageMetadata.promptTokenCount", Counter::in},
        {"[].usageMetadata.cachedContentTokenCount", Counter::cache_read},
        {"[].usageMetadata.candidatesTokenCount", Counter::out},
        {"[].usageMetadata.thoughtsTokenCount", Counter::thinking}}},
  };
  return facts;
}

template <class T>
void add(std::optional<T>& sum, const std::optional<T>& value) {
  if (value) sum = sum.value_or(T{}) + *value;
}

}  // namespace

const ProtocolFacts* facts_of(Protocol protocol) {
  for (const ProtocolFacts& facts : table()) {
    if (facts.protocol == protocol) return &facts;
  }
  return nullptr;
}

void take_counter(Usage& usage, Counter counter, double value) {
  if (!(value >= 0) || value > 9e15) return;
  if (counter == Counter::cost) {
    if (value > 0 || !usage.cost_usd) usage.cost_usd = value;
    return;
  }
  std::optional<std::int64_t>& slot = counter == Counter::in            ? usage.in
                                      : counter == Counter::cache_write ? usage.cache_write
                                      : counter == Counter::cache_read  ? usage.cache_read
                                                                        : usage.out;
  if (value > 0 || !slot) slot = static_cast<std::int64_t>(value);
}

void sum_up(Usage& usage, const ProtocolFacts& facts) {
  usage.total = usage.in.value_or(0) + usage.out.value_or(0);
  if (!facts.in_holds_cache) usage.total += usage.cache_write.value_or(0) + usage.cache_read.value_or(0);
}

void add_usage(Usage& sum, const Usage& usage) {
  add(sum.in, usage.in);
  add(sum.cache_write, usage.cache_write);
  add(sum.cache_read, usage.cache_read);
  add(sum.out, usage.out);
  add(sum.cost_usd, usage.cost_usd);
  sum.total += usage.total;
}

}  // namespace sanduk

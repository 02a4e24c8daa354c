// What the relay spends on a call besides moving bytes: one benchmark a step of the hot path.
#include <benchmark/benchmark.h>

#include <string>

#include "relay/gate.h"
#include "relay/http_head.h"
#include "relay/inflate.h"
#include "relay/json_scanner.h"
#include "relay/policy.h"
#include "relay/rewrite.h"
#include "relay/usage_reader.h"

namespace sanduk {
namespace {

const std::string agent_head =
    "POST /v1/messages?beta=true HTTP/1.1\r\nHost: 127.0.0.1:8750\r\nUser-Agent: claude-cli/2.1.0 (external, cli)\r\n"
    "Accept: application/json\r\nContent-Type: application/json\r\nx-api-key: run-0123456789abcdef0123456789abcdef\r\n"
    "anthropic-version: 2023-06-01\r\nanthropic-beta: claude-code-20250219,interleaved-thinking-2025-05-14\r\n"
    "x-app: cli\r\nx-stainless-lang: js\r\nx-stainless-os: Linux\r\nx-stainless-arch: x64\r\nx-stainless-retry-count: "
    "0\r\n"
    "accept-encoding: br, gzip, deflate\r\nConnection: keep-alive\r\nContent-Length: 100000\r\n\r\n";

std::string body_of(std::size_t size, const std::string& unit) {
  std::string text = R"({"model":"claude-opus-5","max_tokens":64000,"messages":[{"role":"user","content":[)";
  while (text.size() < size) text += unit + ",";
  return text + R"(null]}],"stream":true})";
}

// Shapes of bodies: prose, source code full of escapes, deep small objects, an image, text that is not ASCII.
std::string unit_of(int shape) {
  switch (shape) {
    case 0: {
      std::string text;
      for (int i = 0; i < 40; ++i) text += "The quick brown fox jumps over the lazy dog and runs away. ";
      return R"({"type":"text","text":")" + text + "\"}";
    }
    case 1: {
      std::string text;
      for (int i = 0; i < 60; ++i) text += R"(\tif (x == \"y\") {\n\t\treturn \"a\\b\";\n\t}\n)";
      return R"({"type":"text","text":")" + text + "\"}";
    }
    case 2:
      return R"({"a":{"b":[{"c":{"d":[1,2.5,true,null,"x"]}}]}})";
    case 3:
      return R"({"type":"image","data":")" + std::string(60000, 'A') + "\"}";
    default: {
      std::string text;
      for (int i = 0; i < 200; ++i) text += "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E";
      return R"({"type":"text","text":")" + text + "\"}";
    }
  }
}

void ParseHead(benchmark::State& state) {
  const Limits limits;
  for (auto _ : state) {
    HeadFinder finder(limits.request_line, limits.header_line, limits.head_bytes);
    benchmark::DoNotOptimize(finder.find(agent_head));
    RequestHead head;
    benchmark::DoNotOptimize(parse_request_head(agent_head, limits, head));
  }
}
BENCHMARK(ParseHead);

void TokenAndRoute(benchmark::State& state) {
  const Limits limits;
  PlannedRelay plan;
  plan.auth_header = "x-api-key";
  plan.routes = {{{"GET"}, "/v1/models", Protocol::none, false},
                 {{"POST"}, "/v1/messages", Protocol::anthropic_messages, true}};
  const Secret token("run-0123456789abcdef0123456789abcdef");
  RequestHead head;
  parse_request_head(agent_head, limits, head);
  for (auto _ : state) {
    benchmark::DoNotOptimize(check_token(head.headers, plan, token));
    benchmark::DoNotOptimize(find_route(head, plan.routes).route);
  }
}
BENCHMARK(TokenAndRoute);

void JudgeBody(benchmark::State& state) {
  const std::string body = body_of(static_cast<std::size_t>(state.range(0)), unit_of(static_cast<int>(state.range(1))));
  PlannedRelay plan;
  plan.models = std::vector<std::string>{"claude-opus-5"};
  plan.max_tokens = 32000;
  const Route route{{"POST"}, "/v1/messages", Protocol::anthropic_messages, true};
  for (auto _ : state) {
    const Judgement judgement = judge_body(body, {route, plan, 256});
    benchmark::DoNotOptimize(apply_edits(body, judgement.edits));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
  state.counters["ns/KB"] =
      benchmark::Counter(static_cast<double>(body.size()) / 1024 / 1e9 * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(JudgeBody)
    ->ArgNames({"bytes", "shape"})
    ->ArgsProduct({{1 << 10, 10 << 10, 100 << 10, 1 << 20, 10 << 20}, {0, 1, 2, 3, 4}});

std::string stream_of_events() {
  std::string text =
      "event: message_start\ndata: "
      "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n";
  for (int i = 0; i < 64; ++i) {
    text +=
        "event: content_block_delta\ndata: "
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" and so "
        "on\"}}\n\n";
  }
  return text + "event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":64}}\n\n";
}

void UsageOfSmallEvents(benchmark::State& state) {
  const std::string text = stream_of_events();
  const std::size_t piece = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    UsageReader reader(*facts_of(Protocol::anthropic_messages), "", {});
    for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(std::string_view(text).substr(at, piece));
    benchmark::DoNotOptimize(reader.usage());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(UsageOfSmallEvents)->ArgName("piece")->Arg(1)->Arg(130)->Arg(16384);

void UsageOfOneLargeEvent(benchmark::State& state) {
  const std::string text = "data: {\"type\":\"response.completed\",\"response\":{\"output\":[" + unit_of(0) + "," +
                           std::string(1 << 20, ' ') + unit_of(1) +
                           "],\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}}\n\n";
  for (auto _ : state) {
    UsageReader reader(*facts_of(Protocol::openai_responses), "", {});
    for (std::size_t at = 0; at < text.size(); at += 16384) reader.feed(std::string_view(text).substr(at, 16384));
    benchmark::DoNotOptimize(reader.usage());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(UsageOfOneLargeEvent);

void FormatLine(benchmark::State& state) {
  CallRecord call;
  call.method = "POST";
  call.path = "/v1/messages";
  call.status = 200;
  call.usage.in = 12345;
  call.usage.out = 678;
  for (auto _ : state) benchmark::DoNotOptimize(call_line(call));
}
BENCHMARK(FormatLine);

}  // namespace
}  // namespace sanduk

#include <algorithm>
#include <string>

#include "base/json.h"
#include "diagnostics/diagnostic.h"
#include "fuzz/targets.h"
#include "relay/cassette.h"
#include "relay/chunked.h"
#include "relay/http_head.h"
#include "relay/json_scanner.h"
#include "relay/policy.h"
#include "relay/usage_reader.h"

namespace sanduk::test {
namespace {

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

void check_headers(const Headers& headers) {
  for (const Header& header : headers) {
    must(is_token(header.name));
    must(std::none_of(header.value.begin(), header.value.end(), is_control));
  }
}

// The end of a head is found at the same place however the bytes come.
std::size_t find_end(std::string_view bytes, std::size_t piece, const Limits& limits) {
  HeadFinder finder(limits.request_line, limits.header_line, limits.head_bytes);
  for (std::size_t size = piece;; size += piece) {
    const std::optional<std::size_t> end = finder.find(bytes.substr(0, size));
    if (end) return *end;
    if (finder.fault() || size >= bytes.size()) return 0;
  }
}

Usage read_usage(Protocol protocol, std::string_view bytes, std::string_view encoding, std::size_t piece) {
  Limits limits;
  limits.inflate_bytes = 1 << 20;
  UsageReader reader(*facts_of(protocol), encoding, limits);
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(bytes.substr(at, piece));
  return reader.usage();
}

bool equal(const Usage& a, const Usage& b) {
  return a.in == b.in && a.out == b.out && a.cache_read == b.cache_read && a.cache_write == b.cache_write &&
         a.total == b.total;
}

}  // namespace

void fuzz_request_head(std::string_view bytes) {
  const Limits limits;
  const std::size_t end = find_end(bytes, bytes.size() + 1, limits);
  must(find_end(bytes, 1, limits) == end);
  if (end == 0) return;
  RequestHead head;
  if (parse_request_head(bytes.substr(0, end), limits, head)) return;
  check_headers(head.headers);
  must(head.path.starts_with('/') && head.path.find_first_of("%;\\#?") == std::string_view::npos);
  must(head.path.find("//") == std::string_view::npos && head.path.find("..") == std::string_view::npos);
  must(count_headers(head.headers, "content-length") + count_headers(head.headers, "transfer-encoding") <= 1);
}

void fuzz_response_head(std::string_view bytes) {
  const Limits limits;
  const std::size_t end = find_end(bytes, bytes.size() + 1, limits);
  if (end == 0) return;
  ResponseHead head;
  if (parse_response_head(bytes.substr(0, end), limits, false, head)) return;
  check_headers(head.headers);
  must(head.status >= 100 && head.status <= 599);
  must(std::none_of(head.reason.begin(), head.reason.end(), is_control));
}

void fuzz_chunked(std::string_view bytes) {
  const auto decode = [&](std::size_t piece, bool* done, std::size_t* taken) {
    ChunkedDecoder decoder(1000);
    std::string result;
    for (std::size_t at = 0; at < bytes.size() && !decoder.done() && !decoder.failed(); at += piece) {
      std::string part(bytes.substr(at, piece));
      const ChunkedDecoder::Step step = decoder.decode(part.data(), part.size());
      must(step.decoded <= step.taken && step.taken <= part.size());
      result.append(part.data(), step.decoded);
      *taken += step.taken;
    }
    *done = decoder.done();
    return result;
  };
  bool done_whole = false;
  bool done_bits = false;
  std::size_t taken_whole = 0;
  std::size_t taken_bits = 0;
  const std::string whole = decode(bytes.size() + 1, &done_whole, &taken_whole);
  const std::string bits = decode(1, &done_bits, &taken_bits);
  must(done_whole == done_bits && whole == bits && taken_whole == taken_bits);
}

void fuzz_body(std::string_view bytes) {
  PlannedRelay plan;
  plan.models = std::vector<std::string>{"m"};
  plan.max_tokens = 2000;
  plan.ask_for_usage = true;
  for (const Protocol protocol : {Protocol::none, Protocol::anthropic_messages, Protocol::openai_responses,
                                  Protocol::openai_chat, Protocol::gemini_generate}) {
    const Route route{{"POST"}, "/", protocol, true};
    const Judgement judgement = judge_body(bytes, {route, plan, 64});
    if (judgement.refusal) continue;
    std::string sent;
    for (const std::string_view piece : apply_edits(bytes, judgement.edits)) sent += piece;
    // What is sent on is JSON again, names an allowed model, and is left as it is when it is judged again.
    const Judgement again = judge_body(sent, {route, plan, 64});
    must(!again.refusal && again.model == "m" && again.edits.empty());
    // Of at most 1024 answers at once.
    must(again.tokens() <= 1024 * (2000 + 4096) + static_cast<std::int64_t>(sent.size()));
  }
}

void fuzz_usage(std::string_view bytes) {
  for (const Protocol protocol :
       {Protocol::anthropic_messages, Protocol::openai_responses, Protocol::openai_chat, Protocol::gemini_generate}) {
    const Usage whole = read_usage(protocol, bytes, "", bytes.size() + 1);
    must(equal(whole, read_usage(protocol, bytes, "", 1)));
    must(equal(whole, read_usage(protocol, bytes, "", 7)));
  }
}

void fuzz_gzip_usage(std::string_view bytes) {
  // Broken gzip may end its output earlier when it comes in other pieces; it must only not break anything.
  read_usage(Protocol::anthropic_messages, bytes, "gzip", bytes.size() + 1);
  read_usage(Protocol::anthropic_messages, bytes, "gzip", 1);
}

void fuzz_cassette(std::string_view bytes) {
  try {
    for (const CassetteEntry& entry : parse_cassette("fuzz", std::string(bytes))) must(entry.path.starts_with('/'));
  } catch (const RunError& problem) {
    must(problem.diagnostic.code == "bad-cassette");
  }
}

const std::vector<FuzzTarget>& relay_fuzz_targets() {
  static const std::vector<FuzzTarget> targets = {
      {"request_head", fuzz_request_head},
      {"response_head", fuzz_response_head},
      {"chunked", fuzz_chunked},
      {"body", fuzz_body},
      {"usage", fuzz_usage},
      {"gzip_usage", fuzz_gzip_usage},
      {"cassette", fuzz_cassette},
  };
  return targets;
}

}  // namespace sanduk::test

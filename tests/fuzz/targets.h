// What the fuzzers feed: each target takes any bytes, and checks what must hold whatever they are.
#pragma once

#include <cstdlib>
#include <string_view>
#include <vector>

namespace sanduk::test {

struct FuzzTarget {
  const char* name;  // and the folder of its corpus
  void (*run)(std::string_view bytes);
};

void fuzz_request_head(std::string_view bytes);
void fuzz_response_head(std::string_view bytes);
void fuzz_chunked(std::string_view bytes);
void fuzz_body(std::string_view bytes);
void fuzz_usage(std::string_view bytes);
void fuzz_gzip_usage(std::string_view bytes);
void fuzz_cassette(std::string_view bytes);

const std::vector<FuzzTarget>& relay_fuzz_targets();

// The readers of what a user hands over: profiles, the command line (one argument a line), reviewed plans.
void fuzz_toml(std::string_view bytes);
void fuzz_yaml(std::string_view bytes);
void fuzz_json(std::string_view bytes);
void fuzz_argv(std::string_view bytes);
void fuzz_plan(std::string_view bytes);

const std::vector<FuzzTarget>& profile_fuzz_targets();

// A broken promise ends the fuzzer and the test.
inline void must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace sanduk::test

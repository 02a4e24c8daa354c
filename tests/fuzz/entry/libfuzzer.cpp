// The entry point of libFuzzer; SANDUK_FUZZ_TARGET names the target of this program.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sanduk::test::SANDUK_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}

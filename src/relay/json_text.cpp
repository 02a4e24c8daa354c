#include "relay/json_text.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "relay/json_scanner.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sanduk {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x80 && c != '"' && c != '\\';
}

// The length of the UTF-8 sequence at `at`, 0 when it is broken.
std::size_t sequence_length(const char* at, const char* end) {
  const auto byte = [&](std::ptrdiff_t i) { return static_cast<unsigned char>(at[i]); };
  const auto follows = [&](std::ptrdiff_t i) { return (byte(i) & 0xc0) == 0x80; };
  const std::ptrdiff_t left = end - at;
  const unsigned char first = byte(0);
  if (first >= 0xc2 && first <= 0xdf) return left >= 2 && follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (left < 3 || !follows(1) || !follows(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) > 0x9f) return 0;
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (left < 4 || !follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

// Behind a backslash: how long the escape is, 0 where there is none.
constexpr std::array<unsigned char, 256> escape_lengths = [] {
  std::array<unsigned char, 256> lengths{};
  for (const char c : std::string_view("\"\\/bfnrt")) lengths[static_cast<unsigned char>(c)] = 2;
  lengths['u'] = 6;
  return lengths;
}();

// The length of the escape at `at` (a backslash), 0 when it is none.
std::size_t escape_length(const char* at, const char* end) {
  if (end - at < 2) return 0;
  const std::size_t length = escape_lengths[static_cast<unsigned char>(at[1])];
  if (length <= 2) return length;
  if (end - at < 6) return 0;
  for (int i = 2; i < 6; ++i) {
    if (hex_value(at[i]) < 0) return 0;
  }
  return 6;
}

std::uint32_t code_unit(const char* at) {
  std::uint32_t value = 0;
  for (int i = 2; i < 6; ++i) value = value * 16 + static_cast<std::uint32_t>(hex_value(at[i]));
  return value;
}

void append_utf8(std::string& text, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

char plain_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

// A run of text that is not ASCII, taken off the front. False where it is broken.
bool take_utf8(const char*& at, const char* end) {
  do {
    const std::size_t length = sequence_length(at, end);
    if (length == 0) return false;
    at += length;
  } while (at != end && static_cast<unsigned char>(*at) >= 0x80);
  return true;
}

#ifdef __SSE2__

// The special bytes among sixteen, a bit each.
unsigned special_bits(const char* from) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m128i special = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(special, _mm_cmplt_epi8(v, _mm_set1_epi8(' ')))));
}

// The same among 64, told apart.
struct Block {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t others = 0;  // control characters, and bytes that are not ASCII: a signed comparison finds both

  bool plain() const { return (quotes | backslashes | others) == 0; }
};

Block read_block(const char* from) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i blank = _mm_set1_epi8(' ');
  __m128i v[4];
  __m128i any = _mm_setzero_si128();
  for (std::size_t i = 0; i < 4; ++i) {
    v[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i);
    const __m128i special = _mm_or_si128(_mm_cmpeq_epi8(v[i], quote), _mm_cmpeq_epi8(v[i], backslash));
    any = _mm_or_si128(any, _mm_or_si128(special, _mm_cmplt_epi8(v[i], blank)));
  }
  Block block;
  if (_mm_movemask_epi8(any) == 0) return block;
  const auto bits = [](__m128i mask, std::size_t i) {
    return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(mask))} << (16 * i);
  };
  for (std::size_t i = 0; i < 4; ++i) {
    block.quotes |= bits(_mm_cmpeq_epi8(v[i], quote), i);
    block.backslashes |= bits(_mm_cmpeq_epi8(v[i], backslash), i);
    block.others |= bits(_mm_cmplt_epi8(v[i], blank), i);
  }
  return block;
}

// The bytes that stand behind a backslash which is not escaped itself. `carry`: the first byte is one, and on return
// whether the next block's first byte is. (An addition carries through each run of backslashes at once.)
std::uint64_t escaped_bytes(std::uint64_t backslashes, std::uint64_t& carry) {
  if (backslashes == 0) return std::exchange(carry, 0);
  constexpr std::uint64_t even = 0x5555555555555555;
  backslashes &= ~carry;
  const std::uint64_t behind = (backslashes << 1) | carry;
  const std::uint64_t odd_starts = backslashes & ~even & ~behind;
  const std::uint64_t runs = odd_starts + backslashes;
  carry = runs < backslashes ? 1 : 0;
  return (even ^ (runs << 1)) & behind;
}

// The string's part that lies in whole blocks. True: `at` is behind the closing quote, or at a fault.
bool skip_blocks(const char*& at, const char* end, const char** why) {
  constexpr std::ptrdiff_t size = 64;
  constexpr std::ptrdiff_t look_ahead = 5;  // of an escape that begins in the block's last byte
  std::uint64_t carry = 0;
  while (end - at >= size + look_ahead) {
    const Block block = read_block(at);
    if (block.plain() && carry == 0) {
      at += size;
      continue;
    }
    const char* const begin = at;
    const std::uint64_t escaped = escaped_bytes(block.backslashes, carry);
    const std::uint64_t closing = block.quotes & ~escaped;
    const std::uint64_t inside = closing == 0 ? ~std::uint64_t{0} : (closing & (~closing + 1)) - 1;
    for (std::uint64_t bits = escaped & inside; bits != 0; bits &= bits - 1) {
      const char* const c = begin + std::countr_zero(bits);
      if (escape_length(c - 1, c + look_ahead) == 0) {
        *why = "a broken escape in a string";
        at = c;
        return true;
      }
    }
    for (std::uint64_t bits = block.others & inside; bits != 0;) {
      at = begin + std::countr_zero(bits);
      if (static_cast<unsigned char>(*at) < 0x20) *why = "a control character in a string";
      if (*why == nullptr && !take_utf8(at, end)) *why = "bytes that are not UTF-8";
      if (*why != nullptr) return true;
      const std::ptrdiff_t used = at - begin;
      bits = used >= size ? 0 : bits & (~std::uint64_t{0} << used);
    }
    if (closing != 0) {
      at = begin + std::countr_zero(closing) + 1;
      return true;
    }
    // Text that is not ASCII may have led beyond the block, and nothing is escaped behind it.
    if (at - begin > size) {
      carry = 0;
    } else {
      at = begin + size;
    }
  }
  at -= carry;  // back to the backslash
  return false;
}

#endif

}  // namespace

const char* skip_plain_text(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    const unsigned bits = special_bits(at);
    if (bits != 0) return at + std::countr_zero(bits);
  }
#endif
  while (at != end && is_plain(*at)) ++at;
  return at;
}

const char* skip_json_string(const char* at, const char* end, const char** why) {
#ifdef __SSE2__
  // Keys and most values are short.
  if (end - at >= 16) {
    const unsigned bits = special_bits(at);
    if (bits != 0 && at[std::countr_zero(bits)] == '"') return at + std::countr_zero(bits) + 1;
  }
  if (skip_blocks(at, end, why)) return at;
#endif
  for (;;) {
    at = skip_plain_text(at, end);
    if (at == end) {
      *why = "a string without its end";
      return at;
    }
    if (*at == '"') return at + 1;
    if (*at == '\\') {
      const std::size_t length = escape_length(at, end);
      if (length == 0) *why = "a broken escape in a string";
      at += length;
    } else if (static_cast<unsigned char>(*at) < 0x20) {
      *why = "a control character in a string";
    } else if (!take_utf8(at, end)) {
      *why = "bytes that are not UTF-8";
    }
    if (*why != nullptr) return at;
  }
}

const char* skip_json_number(const char* at, const char* end, const char** why) {
  const auto digits = [&] {
    const char* const begin = at;
    while (at != end && is_digit(*at)) ++at;
    return at != begin;
  };
  *why = "not a JSON value";
  if (at != end && *at == '-') ++at;
  if (at != end && *at == '0') {
    ++at;
    if (at != end && is_digit(*at)) return at;
  } else if (!digits()) {
    return at;
  }
  if (at != end && *at == '.') {
    ++at;
    if (!digits()) return at;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    if (!digits()) return at;
  }
  *why = nullptr;
  return at;
}

std::optional<std::string> unescape_json(std::string_view literal) {
  std::string text;
  const char* at = literal.data() + 1;
  const char* const end = literal.data() + literal.size() - 1;
  while (at < end) {
    if (*at != '\\') {
      text += *at++;
      continue;
    }
    if (at[1] != 'u') {
      text += plain_escape(at[1]);
      at += 2;
      continue;
    }
    std::uint32_t c = code_unit(at);
    at += 6;
    if (c >= 0xd800 && c <= 0xdfff) {
      const bool pair = c < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u';
      const std::uint32_t low = pair ? code_unit(at) : 0;
      if (low < 0xdc00 || low > 0xdfff) return std::nullopt;
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
      at += 6;
    }
    append_utf8(text, c);
  }
  return text;
}

}  // namespace sanduk

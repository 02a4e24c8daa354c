#include "relay/json_text.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

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

// The length of the escape at `at` (a backslash), 0 when it is none.
std::size_t escape_length(const char* at, const char* end) {
  if (end - at < 2) return 0;
  if (std::strchr("\"\\/bfnrt", at[1]) != nullptr && at[1] != '\0') return 2;
  if (at[1] != 'u' || end - at < 6) return 0;
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

}  // namespace

const char* skip_plain_text(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i blank = _mm_set1_epi8(' ');
  // A signed comparison finds control characters and, being negative, every byte that is not ASCII.
  const auto special = [&](const char* from) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)), _mm_cmplt_epi8(v, blank));
  };
  // Most strings are short: the first 16 bytes alone, then four at a time.
  while (end - at >= 16) {
    const int mask = _mm_movemask_epi8(special(at));
    if (mask != 0) return at + __builtin_ctz(static_cast<unsigned>(mask));
    at += 16;
    while (end - at >= 64) {
      const __m128i any =
          _mm_or_si128(_mm_or_si128(special(at), special(at + 16)), _mm_or_si128(special(at + 32), special(at + 48)));
      if (_mm_movemask_epi8(any) != 0) break;
      at += 64;
    }
  }
#endif
  while (at != end && is_plain(*at)) ++at;
  return at;
}

const char* skip_json_string(const char* at, const char* end, const char** why) {
  for (;;) {
    at = skip_plain_text(at, end);
    if (at == end) {
      *why = "a string without its end";
      return at;
    }
    if (*at == '"') return at + 1;
    if (*at == '\\') {
      const std::size_t length = escape_length(at, end);
      if (length == 0) {
        *why = "a broken escape in a string";
        return at;
      }
      at += length;
      continue;
    }
    if (static_cast<unsigned char>(*at) < 0x20) {
      *why = "a control character in a string";
      return at;
    }
    // Text that is not ASCII mostly goes on as such.
    do {
      const std::size_t length = sequence_length(at, end);
      if (length == 0) {
        *why = "bytes that are not UTF-8";
        return at;
      }
      at += length;
    } while (at != end && static_cast<unsigned char>(*at) >= 0x80);
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

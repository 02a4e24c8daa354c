#include "diagnostics/mask.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace sanduk {
namespace {

// Prefixes of keys and tokens as their issuers document them.
constexpr std::array known_prefixes = {"sk-",  "sk_",         "pk-",    "rk_",   "key-",  "ghp_",  "gho_",
                                       "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA",  "ASIA",
                                       "AIza", "ya29.",       "hf_",    "gsk_",  "npm_",  "pypi-", "eyJ"};

bool has_known_prefix(std::string_view value) {
  return std::any_of(known_prefixes.begin(), known_prefixes.end(),
                     [&](const char* prefix) { return value.starts_with(prefix); });
}

bool is_key_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-_.+/=~").find(c) != std::string_view::npos;
}

void hide(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end && i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;
    text[i] = '*';
  }
  // Multi-byte characters became one asterisk and stray bytes: drop those.
  std::string kept;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool stray = i >= begin && i < end && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
    if (!stray) kept += text[i];
  }
  text = std::move(kept);
}

// scheme://user:password@host
void mask_url_passwords(std::string& text) {
  for (std::size_t at = 0; (at = text.find("://", at)) != std::string::npos; at += 3) {
    const std::size_t begin = at + 3;
    const std::size_t end = std::min(text.find_first_of("/ \t\"'`,", begin), text.size());
    const std::size_t sign = text.rfind('@', end);
    if (sign == std::string::npos || sign < begin || sign >= end) continue;
    const std::size_t colon = text.find(':', begin);
    hide(text, colon < sign ? colon + 1 : begin, sign);
  }
}

// Where a key begins that was glued behind something else ("file-sk-…"); `end` when nowhere.
std::size_t glued_key(const std::string& text, std::size_t begin, std::size_t end) {
  constexpr std::size_t shortest = 20;
  for (std::size_t at = begin + 1; at + shortest <= end; ++at) {
    if (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0) continue;
    if (has_known_prefix(std::string_view(text).substr(at, end - at))) return at;
  }
  return end;
}

// A word, and where it is not a key itself, the parts that paths and names put together.
void mask_word(std::string& text, std::size_t begin, std::size_t end) {
  const std::string_view word = std::string_view(text).substr(begin, end - begin);
  if (looks_like_key(word)) return hide(text, begin, end);
  const std::size_t glued = glued_key(text, begin, end);
  hide(text, glued, end);
  for (std::size_t at = begin; at < glued;) {
    const std::size_t stop = std::min(text.find_first_of("/.=~+", at), glued);
    if (looks_like_key(std::string_view(text).substr(at, stop - at))) hide(text, at, stop);
    at = stop + 1;
  }
}

void mask_key_like_words(std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_key_character(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && is_key_character(text[end])) ++end;
    // NAME=value is one word of key characters: look at the part behind the "=".
    const std::size_t equals = text.find('=', begin);
    const std::size_t from = equals < end && equals + 1 < end ? equals + 1 : begin;
    // A digest is long and random, and no secret.
    const bool is_digest = text.compare(begin < 7 ? 0 : begin - 7, 7, "sha256:") == 0;
    if (!is_digest) mask_word(text, from, end);
    begin = end;
  }
}

bool is_reference(std::string_view value) {
  return value.starts_with("env:") || value.starts_with("file:") || value.starts_with("command:") ||
         value.starts_with("${") || value.starts_with("{token") || value == "none" || value == "true" ||
         value == "false";
}

// NAME = "value", NAME: value, NAME=value where NAME says that it is a credential.
void mask_named_values(std::string& text) {
  for (std::size_t at = 0; (at = text.find_first_of("=:", at)) != std::string::npos; ++at) {
    std::size_t name_end = at;
    while (name_end > 0 && (text[name_end - 1] == ' ' || text[name_end - 1] == '"' || text[name_end - 1] == '\''))
      --name_end;
    std::size_t name_begin = name_end;
    while (name_begin > 0 && (std::isalnum(static_cast<unsigned char>(text[name_begin - 1])) != 0 ||
                              text[name_begin - 1] == '_' || text[name_begin - 1] == '-')) {
      --name_begin;
    }
    if (!is_credential_name(std::string_view(text).substr(name_begin, name_end - name_begin))) continue;
    std::size_t begin = at + 1;
    while (begin < text.size() && text[begin] == ' ') ++begin;
    const char opening = begin < text.size() ? text[begin] : ' ';
    const bool quoted = opening == '"' || opening == '\'';
    const bool block = opening == '|' || opening == '>';                      // of YAML: all that follows
    while (quoted && begin < text.size() && text[begin] == opening) ++begin;  // three of TOML's, too
    const std::string closing = quoted ? std::string(1, opening) : block ? "" : " \t,}#";
    const std::size_t end = std::min(text.find_first_of(closing, begin), text.size());
    if (begin < end && !is_reference(std::string_view(text).substr(begin, end - begin))) hide(text, begin, end);
  }
}

}  // namespace

bool looks_like_key(std::string_view value) {
  if (value.size() < 12) return false;
  if (has_known_prefix(value)) return true;
  if (value.size() < 32 || !std::all_of(value.begin(), value.end(), is_key_character)) return false;
  if (value.find_first_of("/.") != std::string_view::npos) return false;
  const auto has = [&](auto kind) {
    return std::any_of(value.begin(), value.end(), [&](char c) { return kind(static_cast<unsigned char>(c)) != 0; });
  };
  // Words of people are joined by dashes and underscores; random ones run on.
  std::size_t longest = 0;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t stop = std::min(value.find_first_of("-_", at), value.size());
    longest = std::max(longest, stop - at);
    at = stop + 1;
  }
  return longest >= 20 && has([](int c) { return std::isdigit(c); }) && has([](int c) { return std::isalpha(c); });
}

bool is_literal_key(std::string_view value) {
  if (value.size() < 20 || !std::all_of(value.begin(), value.end(), is_key_character)) return false;
  const bool has_digit = std::any_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  return has_digit && has_known_prefix(value);
}

bool is_credential_name(std::string_view name) {
  const std::string word = lower(name);
  for (const char* part : {"key", "token", "secret", "password", "passwd", "credential"}) {
    if (word.ends_with(part)) return true;
  }
  return word.find("api_key") != std::string::npos || word.find("apikey") != std::string::npos ||
         word.find("secret") != std::string::npos || word.find("password") != std::string::npos;
}

std::string masked_words(std::string_view text) {
  std::string result(text);
  mask_url_passwords(result);
  mask_key_like_words(result);
  return result;
}

std::string masked(std::string_view text) {
  std::string result(text);
  mask_url_passwords(result);
  mask_named_values(result);
  mask_key_like_words(result);
  return result;
}

}  // namespace sanduk

#include "relay/rewrite.h"

namespace sanduk {

std::vector<std::string_view> apply_edits(std::string_view body, const std::vector<Edit>& edits) {
  std::vector<std::string_view> pieces;
  std::size_t done = 0;
  const auto put = [&](std::string_view piece) {
    if (!piece.empty()) pieces.push_back(piece);
  };
  for (const Edit& edit : edits) {
    put(body.substr(done, edit.at - done));
    put(edit.text);
    done = edit.at + edit.length;
  }
  put(body.substr(done));
  return pieces;
}

std::size_t total_size(const std::vector<std::string_view>& pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  return size;
}

}  // namespace sanduk

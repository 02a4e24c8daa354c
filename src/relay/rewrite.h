// The few changes that a policy makes to a body: numbers replaced, fields inserted, every other byte as it came.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

struct Edit {
  std::size_t at = 0;
  std::size_t length = 0;  // bytes that are replaced; 0: an insertion
  std::string text;
};

// The body as pieces to send one after the other: views into `body` and into the edits' texts. Edits are sorted by
// place and do not overlap.
std::vector<std::string_view> apply_edits(std::string_view body, const std::vector<Edit>& edits);

std::size_t total_size(const std::vector<std::string_view>& pieces);

}  // namespace sanduk

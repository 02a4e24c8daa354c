#include "agents/line_splitter.h"

namespace sanduk {

void LineSplitter::feed(std::string_view bytes) {
  for (;;) {
    const std::size_t newline = bytes.find('\n');
    keep(bytes.substr(0, newline));
    if (newline == std::string_view::npos) return;
    end_line();
    bytes.remove_prefix(newline + 1);
  }
}

void LineSplitter::finish() {
  if (dropping_ || !line_.empty()) end_line();
}

void LineSplitter::keep(std::string_view bytes) {
  if (dropping_) return;
  if (line_.size() + bytes.size() > most_) {
    dropping_ = true;
    line_ = std::string();  // gives the memory back
    return;
  }
  line_ += bytes;
}

void LineSplitter::end_line() {
  if (dropping_) {
    ++dropped_;
  } else {
    if (line_.ends_with('\r')) line_.pop_back();
    if (!line_.empty()) taker_(line_);
  }
  dropping_ = false;
  line_.clear();
}

}  // namespace sanduk

#include "diagnostics/diagnostic.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace sanduk {

Diagnostic& Diagnostic::at(Span span, std::string text) {
  labels.push_back({std::move(span), std::move(text)});
  return *this;
}

Diagnostic& Diagnostic::note(std::string text) {
  notes.push_back(std::move(text));
  return *this;
}

Diagnostic& Diagnostic::with_help(std::string text) {
  help = std::move(text);
  return *this;
}

Diagnostic error(std::string code, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  return diagnostic;
}

Diagnostic warning(std::string code, std::string message) {
  Diagnostic diagnostic = error(std::move(code), std::move(message));
  diagnostic.severity = Severity::warning;
  return diagnostic;
}

Diagnostic& Diagnostics::add(Diagnostic diagnostic) {
  list_.push_back(std::move(diagnostic));
  return list_.back();
}

std::size_t Diagnostics::count_errors() const {
  return static_cast<std::size_t>(std::count_if(
      list_.begin(), list_.end(), [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::error; }));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::map<const Source*, std::size_t> order;
  for (const Diagnostic& diagnostic : list_) {
    const Source* source = diagnostic.labels.empty() ? nullptr : diagnostic.labels[0].span.source.get();
    order.emplace(source, source == nullptr ? SIZE_MAX : order.size());
  }
  const auto place = [&](const Diagnostic& diagnostic) {
    if (diagnostic.labels.empty()) return std::tuple(SIZE_MAX, std::size_t{0}, std::size_t{0});
    const Span& span = diagnostic.labels[0].span;
    return std::tuple(order.at(span.source.get()), span.line, span.column);
  };
  std::vector<Diagnostic> result = list_;
  std::stable_sort(result.begin(), result.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  return result;
}

}  // namespace sanduk

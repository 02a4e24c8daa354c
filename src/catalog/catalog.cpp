#include "catalog/catalog.h"

#include <algorithm>
#include <set>

#include "base/embedded.h"
#include "base/text.h"
#include "config/assign.h"
#include "config/reader.h"
#include "diagnostics/mask.h"

namespace sanduk {
namespace {

std::string singular(const std::string& kind) { return kind.substr(0, kind.size() - 1); }

// A name is one word: it never leads out of the catalogue's folders.
bool is_word(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
}

}  // namespace

bool names_a_file(const std::string& name) { return name.find('/') != std::string::npos || name.ends_with(".toml"); }

std::vector<std::string> Catalog::names(const std::string& kind) const {
  std::set<std::string> result;
  const std::string prefix = "resources/" + kind + "/";
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path.starts_with(prefix)) result.insert(std::filesystem::path(file.path).stem().string());
  }
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(user_directory_ / kind, failed)) {
    if (entry.path().extension() == ".toml") result.insert(entry.path().stem().string());
  }
  return {result.begin(), result.end()};
}

template <class Record>
std::optional<Record> Catalog::load(const std::string& kind, const FieldTable<Record>& table, const std::string& name,
                                    const Origin& where, Diagnostics& problems) const {
  std::optional<Document> document;
  std::error_code failed;
  const std::size_t faults_before = problems.count_errors();
  const std::filesystem::path own = user_directory_ / kind / (name + ".toml");
  const std::string embedded = "resources/" + kind + "/" + name + ".toml";
  if (names_a_file(name)) {
    document = read_document_file(where.directory / name, name, problems);
  } else if (is_word(name) && std::filesystem::exists(own, failed)) {
    document = read_document_file(own, own.string(), problems);
  } else if (const std::optional<std::string_view> bytes = is_word(name) ? embedded_file(embedded) : std::nullopt) {
    const auto source = std::make_shared<Source>(Source{"sanduk:" + kind + "/" + name, std::string(*bytes)});
    document = read_document(source, Format::toml, "", problems);
  } else {
    const std::vector<std::string> known = names(kind);
    const std::optional<std::string> near = closest(name, known);
    problems.add(
        error("unknown-" + singular(kind), "there is no " + singular(kind) + " `" + masked(name) + "`")
            .at(where.span)
            .with_help((near ? "did you mean `" + *near + "`? " : "") + "known " + kind + ": " + join(known, ", ")));
    return std::nullopt;
  }
  if (!document) return std::nullopt;
  Record record;
  assign_document(table, *document, Layer::file, record, problems);
  check_required(table, record, document->root.span, "this " + singular(kind), problems);
  if (problems.count_errors() != faults_before) return std::nullopt;
  return record;
}

std::optional<AgentRecord> Catalog::agent(const std::string& name, const Origin& where, Diagnostics& problems) const {
  return load("agents", agent_fields(), name, where, problems);
}

std::optional<ProviderRecord> Catalog::provider(const std::string& name, const Origin& where,
                                                Diagnostics& problems) const {
  return load("providers", provider_fields(), name, where, problems);
}

PriceTable Catalog::prices(Diagnostics& problems) const {
  PriceTable table;
  const auto shipped = std::make_shared<Source>(
      Source{"sanduk:prices", std::string(embedded_file("resources/prices.toml").value_or(""))});
  if (const auto document = read_document(shipped, Format::toml, "", problems)) {
    assign_document(price_fields(), *document, Layer::built_in, table, problems);
  }
  const std::filesystem::path own = user_directory_ / "prices.toml";
  std::error_code failed;
  if (!std::filesystem::exists(own, failed)) return table;
  PriceTable more;
  if (const auto document = read_document_file(own, own.string(), problems)) {
    assign_document(price_fields(), *document, Layer::file, more, problems);
  }
  for (const auto& [model, price] : *more.models) table.models.value[model] = price;
  return table;
}

std::optional<EngineRecord> Catalog::engine(const std::string& name, const Origin& where, Diagnostics& problems) const {
  return load("engines", engine_fields(), name, where, problems);
}

}  // namespace sanduk

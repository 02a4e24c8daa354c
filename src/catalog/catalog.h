// Finds the records of agents, providers and engines: the user's own files first, then the embedded ones.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/records.h"

namespace sanduk {

// One record and where it was read.
template <class Record>
struct CatalogEntry {
  Record record;
  std::string file;
};

// Whether a name of an agent, a provider or an engine is the path of a file of the user's own.
bool names_a_file(const std::string& name);

class Catalog {
 public:
  // `user_directory` is ~/.config/sanduk; its agents/, providers/ and engines/ may be missing.
  explicit Catalog(std::filesystem::path user_directory) : user_directory_(std::move(user_directory)) {}

  // Nothing, and a diagnostic at `where`, when there is no such record or its file has faults. A name that holds a
  // "/" or ends in ".toml" is a path, relative to `directory`.
  std::optional<AgentRecord> agent(const std::string& name, const Origin& where, Diagnostics& problems) const;
  std::optional<ProviderRecord> provider(const std::string& name, const Origin& where, Diagnostics& problems) const;
  std::optional<EngineRecord> engine(const std::string& name, const Origin& where, Diagnostics& problems) const;

  // The shipped prices with the user's own over them.
  PriceTable prices(Diagnostics& problems) const;

  // "agents", "providers" or "engines": all names, sorted.
  std::vector<std::string> names(const std::string& kind) const;

 private:
  template <class Record>
  std::optional<Record> load(const std::string& kind, const FieldTable<Record>& table, const std::string& name,
                             const Origin& where, Diagnostics& problems) const;

  std::filesystem::path user_directory_;
};

}  // namespace sanduk

#include "profile/policy.h"

#include "config/assign.h"
#include "config/reader.h"

namespace sanduk {
namespace {

using P = Policy;

FieldTable<Policy> make_table() {
  return {
      field<P>(
          "modes", [](P & p) -> auto& { return p.modes; }, "network modes that a profile may choose"),
      field<P>(
          "upstreams", [](P & p) -> auto& { return p.upstreams; },
          "hosts that calls may go to: \"HOST\", \"HOST:PORT\" or \"*.DOMAIN\""),
      field<P>(
          "engines", [](P & p) -> auto& { return p.engines; }, "container engines that may be used"),
      field<P>(
          "mounts", [](P & p) -> auto& { return p.mounts; },
          "directories below which a profile may mount; \"DIR:ro\" for reading only"),
      field<P>(
          "images", [](P & p) -> auto& { return p.images; },
          "images that may be run: a prefix, \"sha256:DIGEST\", \"builtin\" or \"containerfile\""),
      field<P>(
          "insecure_upstream", [](P & p) -> auto& { return p.insecure_upstream; },
          "whether a key may travel in plaintext"),
      field<P>(
          "key_commands", [](P & p) -> auto& { return p.key_commands; },
          "whether a profile may name a program that prints the key"),
      field<P>(
          "keep", [](P & p) -> auto& { return p.keep; }, "whether a container may be left for inspection"),
      field<P>(
          "caps.cpus", [](P & p) -> auto& { return p.caps.cpus; }, "most processors of a box"),
      field<P>(
          "caps.memory", [](P & p) -> auto& { return p.caps.memory; }, "most memory of a box"),
      field<P>(
          "caps.pids", [](P & p) -> auto& { return p.caps.pids; }, "most processes of a box"),
      field<P>(
          "caps.timeout", [](P & p) -> auto& { return p.caps.timeout; }, "longest run"),
      field<P>(
          "caps.max_tokens", [](P & p) -> auto& { return p.caps.max_tokens; }, "most tokens of one answer"),
      field<P>(
          "caps.tokens", [](P & p) -> auto& { return p.caps.tokens; }, "most tokens of a run"),
      field<P>(
          "caps.calls", [](P & p) -> auto& { return p.caps.calls; }, "most model calls of a run"),
  };
}

}  // namespace

const FieldTable<Policy>& policy_fields() {
  static const FieldTable<Policy> table = make_table();
  return table;
}

std::vector<Policy> load_policies(const World& world, Diagnostics& problems) {
  std::vector<Policy> policies;
  for (const std::filesystem::path& directory : {world.system_directory("sanduk"), world.config_directory("sanduk")}) {
    const std::filesystem::path file = directory / "policy.toml";
    std::error_code failed;
    if (std::filesystem::symlink_status(file, failed).type() == std::filesystem::file_type::not_found) continue;
    const std::optional<Document> document = read_document_file(file, file.string(), problems);
    if (!document) continue;
    Policy policy;
    assign_document(policy_fields(), *document, Layer::file, policy, problems);
    for (ListItem& item : policy.mounts.value) {
      if (item.text.starts_with("~/")) item.text = (world.home_directory() / item.text.substr(2)).string();
    }
    policies.push_back(std::move(policy));
  }
  return policies;
}

}  // namespace sanduk

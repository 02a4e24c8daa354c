#include "cli/reference.h"

#include "cli/commands.h"
#include "config/generate.h"
#include "diagnostics/codes.h"
#include "profile/policy.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

std::string intro() {
  return "# Reference\n\n"
         "Written from the program's tables by `sanduk schema reference`; do not edit (`make generate` writes it "
         "anew).\n\n"
         "The schemas beside this page are JSON Schema draft-07, printed by `sanduk schema "
         "profile|plan|diagnostics|record|policy`.\n"
         "An editor finds the one of profiles by a first line `#:schema PATH` in TOML, `# yaml-language-server: "
         "$schema=PATH`\n"
         "in YAML, `\"$schema\": \"PATH\"` in JSON.\n";
}

std::string layers() {
  return "\n## How layers merge\n\n"
         "Defaults, then the bases that `extends` names from left to right, then the profile, then further files of "
         "the command\n"
         "line, then flags: the later one wins. Tables merge key by key (`agent.env`, `agent.options`, too); single "
         "values and\n"
         "lists replace. `[]` is an empty list, which is not the same as no list. A flag of a list replaces the "
         "profile's list,\n"
         "or adds to it where the table below says so. A base with `locked = true` is a bound: what comes after it may "
         "make the\n"
         "value narrower, never wider; the last column says what wider means.\n\n"
         "`${NAME}`, `${NAME:-default}` and `$$` work in names, the task, paths, the upstream, plain variables; never "
         "in\n"
         "restrictions. Paths start at the file that says them; `~/` is the home directory.\n";
}

std::string flags() {
  std::string text = "\n## Other flags\n\n| flag | what it does |\n| --- | --- |\n";
  text += "| `--set KEY=VALUE` | sets any key, such as `--set caps.cpus=2` |\n";
  for (const FlagAlias& alias : flag_aliases()) {
    text += "| `" + alias.flag + (alias.value.empty() ? " VALUE" : "") + "` | " + alias.help + " (`" + alias.path +
            "`) |\n";
  }
  for (const RetiredFlag& flag : retired_flags()) {
    text += "| `" + flag.flag + "` | refused: " + flag.why + "; " + flag.instead + " |\n";
  }
  return text;
}

std::string codes() {
  std::string text = "\n## Code words of messages\n";
  for (const CodeGroup& group : code_groups()) {
    text += "\n### " + std::string(group.title) + "\n\n";
    for (const CodeDoc& doc : group.codes)
      text += "- **" + std::string(doc.code) + "**: " + std::string(doc.paragraph) + "\n";
  }
  return text;
}

}  // namespace

std::string reference_page() {
  return intro() + layers() + "\n## The profile\n" + write_reference(document_fields(profile_fields()), "###") +
         flags() +
         "\n## The ceiling: /etc/sanduk/policy.toml and ~/.config/sanduk/policy.toml\n\n"
         "Both hold, for every profile. What is absent bounds nothing. A file that is there and cannot be read stops "
         "every run.\n" +
         write_reference(document_fields(policy_fields()), "###") + codes();
}

}  // namespace sanduk

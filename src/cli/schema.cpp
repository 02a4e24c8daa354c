// sanduk schema NAME: the JSON Schemas of what sanduk reads and writes, and the reference page.
#include "base/embedded.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/reference.h"
#include "config/generate.h"
#include "plan/plan_schema.h"
#include "profile/policy.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

std::string embedded_text(const char* path) { return std::string(embedded_file(path).value_or("")); }

struct SchemaRule {
  const char* name;
  std::string (*text)();
};

constexpr SchemaRule schemas[] = {
    {"profile", [] { return write_json_schema(document_fields(profile_fields()), "sanduk profile"); }},
    {"plan", [] { return write_plan_schema(); }},
    {"diagnostics", [] { return embedded_text("schemas/diagnostics.schema.json"); }},
    {"record", [] { return embedded_text("schemas/record.schema.json"); }},
    {"policy", [] { return write_json_schema(document_fields(policy_fields()), "sanduk policy"); }},
    {"reference", [] { return reference_page(); }},
};

}  // namespace

int run_schema(const Invocation& call, World&) {
  std::vector<std::string> names;
  for (const SchemaRule& schema : schemas) {
    if (call.words[0] == schema.name) {
      print_result(schema.text());
      return exit_done;
    }
    names.emplace_back(schema.name);
  }
  Diagnostics problems;
  problems.add(error("usage", "there is no schema `" + printable(call.words[0]) + "`")
                   .at(call.span_of_word(0))
                   .with_help("schemas: " + join(names, ", ")));
  return report_problems(problems, call.terminal);
}

}  // namespace sanduk

// sanduk schema profile|reference
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "config/generate.h"
#include "profile/profile_fields.h"

namespace sanduk {

int run_schema(const Invocation& call, World&) {
  const std::vector<FieldDoc> fields = document_fields(profile_fields());
  if (call.words[0] == "profile") {
    print_result(write_json_schema(fields, "sanduk profile"));
    return exit_done;
  }
  if (call.words[0] == "reference") {
    print_result(write_reference(fields, "The settings of a profile"));
    return exit_done;
  }
  Diagnostics problems;
  problems.add(error("usage", "there is no schema `" + printable(call.words[0]) + "`").at(call.span_of_word(0)).with_help("schemas: profile, reference"));
  return report_problems(problems, call.terminal);
}

}  // namespace sanduk

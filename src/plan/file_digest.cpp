#include "plan/file_digest.h"

#include "base/files.h"
#include "plan/plan_json.h"

namespace sanduk {
namespace {

constexpr std::size_t largest_file = std::size_t{256} << 20;

}  // namespace

std::string file_sha256(const std::filesystem::path& path) {
  const FileResult<std::string> bytes = read_file(path, largest_file);
  return bytes ? sha256_hex(*bytes) : "";
}

void check_files(const Plan& plan, Diagnostics& problems) {
  for (const PlannedFile& file : plan.files) {
    const std::string now = file_sha256(file.path);
    if (now == file.sha256) continue;
    problems.add(error("plan-stale", "`" + file.path + "` " +
                                         (now.empty() ? "cannot be read any more" : "has changed") +
                                         " since the plan was made")
                     .with_help("look at the change, then write the plan anew: sanduk plan PROFILE -o FILE"));
  }
}

}  // namespace sanduk

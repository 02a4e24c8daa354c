// What the agent leaves in the workspace: hostile until read, and not to be mixed up with what was there before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sanduk {

// A file as it was at some moment. Two equal marks are the same report, not written in between.
struct ReportMark {
  bool exists = false;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // of the inode: tells a write even where the time stamp was set back
  std::uint64_t size = 0;

  bool operator==(const ReportMark&) const = default;
};

ReportMark mark_report(const std::filesystem::path& workspace, const std::string& report);

// Copies the report into `record`/report/ and gives the copy's path relative to `record`; or nothing and, in `why`, the
// reason. No link is followed, only a regular file of at most 16 MiB is taken, and none that still has the mark `old`.
std::optional<std::string> collect_report(const std::filesystem::path& workspace, const std::string& report,
                                          const ReportMark& old, const std::filesystem::path& record, std::string& why);

// The same for another file, whose path below the workspace it keeps below `record`/collected/.
std::optional<std::string> collect_file(const std::filesystem::path& workspace, const std::string& file,
                                        const ReportMark& old, const std::filesystem::path& record, std::string& why);

}  // namespace sanduk

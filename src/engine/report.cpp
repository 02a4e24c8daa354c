#include "engine/report.h"

#include <sys/stat.h>

#include "base/files.h"
#include "base/portable.h"

namespace sanduk {
namespace {

constexpr std::size_t most_report = std::size_t{16} << 20;

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

// `copy` is relative to `record`, clean and without "..".
std::optional<std::string> collect_as(const std::filesystem::path& workspace, const std::string& file,
                                      const ReportMark& old, const std::filesystem::path& record,
                                      const std::filesystem::path& copy, std::string& why) {
  const ReportMark now = mark_report(workspace, file);
  if (!now.exists) {
    why = "the agent left no " + file;
    return std::nullopt;
  }
  if (now == old) {
    why = file + " is from before this run; the agent did not write it";
    return std::nullopt;
  }
  const FileResult<std::string> bytes = read_file_beneath(workspace, file, most_report);
  if (!bytes) {
    why = bytes.error().message;
    return std::nullopt;
  }
  std::optional<FileError> failed;
  std::filesystem::path directory = record;
  for (const std::filesystem::path& part : copy.parent_path()) {
    directory /= part;
    if (!failed) failed = make_private_directory(directory);
  }
  if (!failed) failed = write_file_atomically(record / copy, *bytes);
  if (failed) {
    why = failed->message;
    return std::nullopt;
  }
  return copy.string();
}

}  // namespace

ReportMark mark_report(const std::filesystem::path& workspace, const std::string& report) {
  struct stat status {};
  if (report.empty() || lstat((workspace / report).c_str(), &status) != 0) return {};
  ReportMark mark;
  mark.exists = true;
  mark.inode = status.st_ino;
  mark.modified_ns = nanoseconds(modified_time(status));
  mark.changed_ns = nanoseconds(changed_time(status));
  mark.size = static_cast<std::uint64_t>(status.st_size);
  return mark;
}

std::optional<std::string> collect_report(const std::filesystem::path& workspace, const std::string& report,
                                          const ReportMark& old, const std::filesystem::path& record,
                                          std::string& why) {
  return collect_as(workspace, report, old, record, "report" / std::filesystem::path(report).filename(), why);
}

std::optional<std::string> collect_file(const std::filesystem::path& workspace, const std::string& file,
                                        const ReportMark& old, const std::filesystem::path& record, std::string& why) {
  return collect_as(workspace, file, old, record, std::filesystem::path("collected") / file, why);
}

}  // namespace sanduk

#include "engine/host_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/portable.h"

namespace sanduk {
namespace {

constexpr std::size_t most_entries = 200'000;

struct Rule {
  std::string_view path;  // a name, or, with "/" at its end, a directory with all below it; anywhere in the tree
  std::string_view use;
};

constexpr Rule rules[] = {
    {".git/hooks/", "git hook"},
    {".git/config", "git configuration"},
    {".git/info/attributes", "git configuration"},
    {".git/modules/", "git configuration"},
    {".gitmodules", "git configuration"},
    {".gitattributes", "git configuration"},
    {".husky/", "git hook"},
    {".pre-commit-config.yaml", "git hook"},
    {"lefthook.yml", "git hook"},
    {".vscode/", "editor task"},
    {".idea/", "editor task"},
    {".devcontainer/", "editor task"},
    {".exrc", "editor task"},
    {".nvim.lua", "editor task"},
    {".dir-locals.el", "editor task"},
    {".envrc", "direnv"},
    {".mcp.json", "agent's tools"},
    {".claude/", "agent's settings"},
    {".cursor/", "agent's settings"},
    {".codex/", "agent's settings"},
    {".opencode/", "agent's settings"},
    {"CLAUDE.md", "agent's instructions"},
    {"AGENTS.md", "agent's instructions"},
    {".github/workflows/", "CI file"},
    {".github/actions/", "CI file"},
    {".gitlab-ci.yml", "CI file"},
    {".circleci/", "CI file"},
    {".travis.yml", "CI file"},
    {"Jenkinsfile", "CI file"},
    {"azure-pipelines.yml", "CI file"},
    {"bitbucket-pipelines.yml", "CI file"},
    {"package.json", "package script"},
    {".npmrc", "package script"},
    {".yarnrc.yml", "package script"},
    {".pnpmfile.cjs", "package script"},
    {"setup.py", "package script"},
    {"conftest.py", "package script"},
    {"sitecustomize.py", "package script"},
    {"build.rs", "package script"},
    {".cargo/config.toml", "package script"},
    {"Makefile", "build script"},
    {"makefile", "build script"},
    {"GNUmakefile", "build script"},
    {"CMakeLists.txt", "build script"},
    {"meson.build", "build script"},
    {"justfile", "build script"},
    {"Taskfile.yml", "build script"},
    {"Rakefile", "build script"},
    {"build.gradle", "build script"},
    {"build.gradle.kts", "build script"},
    {"gradlew", "build script"},
    {"pom.xml", "build script"},
    {"mvnw", "build script"},
    {"Dockerfile", "container's description"},
    {"Containerfile", "container's description"},
    {"compose.yml", "container's description"},
    {"compose.yaml", "container's description"},
    {"docker-compose.yml", "container's description"},
};

// Trees of many files of which nothing is obeyed that was not installed by a file above.
constexpr std::array<std::string_view, 2> skipped = {"node_modules", ".venv"};

bool is_skipped(const std::string& relative, const std::string& name) {
  if (name == "objects") return ("/" + relative).find("/.git/") != std::string::npos;
  return std::find(skipped.begin(), skipped.end(), name) != skipped.end();
}

std::string mark_of(const struct stat& status) {
  const timespec changed = changed_time(status);
  // The time of change is the kernel's own: no program sets it back.
  return std::to_string(status.st_ino) + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mode) +
         " " + std::to_string(changed.tv_sec) + "." + std::to_string(changed.tv_nsec);
}

}  // namespace

std::string host_use(const std::string& relative) {
  const std::string path = "/" + relative;
  for (const Rule& rule : rules) {
    const std::string wanted = "/" + std::string(rule.path);
    const bool found = rule.path.ends_with('/') ? path.find(wanted) != std::string::npos : path.ends_with(wanted);
    if (found) return std::string(rule.use);
  }
  return "";
}

HostFiles mark_host_files(const std::filesystem::path& workspace) {
  HostFiles files;
  std::size_t seen = 0;
  std::error_code error;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (std::filesystem::recursive_directory_iterator at(workspace, options, error), end; !error && at != end;
       at.increment(error)) {
    if (++seen > most_entries) {
      files.unseen = "there are more than " + std::to_string(most_entries) + " files: not all were looked at";
      break;
    }
    const std::string relative = at->path().lexically_relative(workspace).string();
    const std::string name = at->path().filename().string();
    struct stat status {};
    if (lstat(at->path().c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) {
      if (is_skipped(relative, name)) at.disable_recursion_pending();
      continue;
    }
    if (!host_use(relative).empty()) files.marks[relative] = mark_of(status);
  }
  if (error) files.unseen = "not all was looked at: " + error.message();
  return files;
}

std::vector<std::string> changed_host_files(const HostFiles& before, const HostFiles& after) {
  std::vector<std::string> changed;
  const auto add = [&](const std::string& path, const char* how) {
    changed.push_back(path + " (" + host_use(path) + how + ")");
  };
  if (!after.unseen.empty()) changed.push_back(after.unseen);
  for (const auto& [path, mark] : after.marks) {
    const auto old = before.marks.find(path);
    if (old == before.marks.end()) {
      add(path, ", new");
    } else if (old->second != mark) {
      add(path, "");
    }
  }
  for (const auto& [path, mark] : before.marks) {
    if (!after.marks.contains(path) && after.unseen.empty()) add(path, ", removed");
  }
  return changed;
}

}  // namespace sanduk

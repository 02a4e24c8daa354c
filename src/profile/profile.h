// What a user can say about a run. Nothing is decided here: every value knows who said it, and where.
#pragma once

#include "config/setting.h"

namespace sanduk {

struct Profile {
  Setting<std::int64_t> version{1};
  Setting<TextList> extends;
  Setting<bool> locked;
  Setting<std::string> name;
  Setting<std::string> description;
  Setting<std::string> task;
  Setting<FilePath> task_file;
  Setting<std::string> verify;

  struct Provider {
    Setting<std::string> name{"anthropic"};
    Setting<std::string> key;
    Setting<std::string> upstream;
    Setting<bool> insecure_upstream;
    Setting<FilePath> cassette;
    Setting<bool> key_check{true};
  } provider;

  struct Agent {
    Setting<std::string> name{"claude"};
    Setting<std::string> model;
    Setting<std::string> effort;
    Setting<std::int64_t> max_turns;
    Setting<TextList> command;
    Setting<TextList> args;
    Setting<TextMap> env;
    Setting<TextMap> options;
    Setting<std::string> key_variable;
    Setting<std::string> base_url_variable;
    Setting<std::string> base_url;
    Setting<bool> report_instruction{true};
    Setting<bool> stdin_task;
    Setting<FilePath> instructions;
    Setting<FilePath> skills;
  } agent;

  struct Image {
    Setting<std::string> ref;
    Setting<FilePath> containerfile;
    Setting<bool> rebuild;
    Setting<std::string> digest;
    Setting<TextList> add_apt;
    Setting<TextList> add_npm;
    Setting<TextList> add_run;
  } image;

  struct Workspace {
    Setting<FilePath> path{{"."}};
    Setting<TextList> protect{{{".git/hooks"}, {".git/config"}}};
    Setting<std::string> report{"REPORT.md"};
    Setting<FilePath> report_copy;
    Setting<TextList> collect;
    Setting<MountList> mounts;
    Setting<std::string> mode{"rw"};
  } workspace;

  struct Engine {
    Setting<std::string> name{"auto"};
    Setting<bool> keep;
    Setting<std::string> oci_runtime;
    Setting<bool> read_only_root;
  } engine;

  struct Network {
    Setting<std::string> mode{"sealed"};
    Setting<std::string> transport{"auto"};
    Setting<bool> strict;
  } network;

  struct Caps {
    Setting<double> cpus{4};
    Setting<ByteSize> memory{{std::int64_t{4} << 30}};
    Setting<std::int64_t> pids{1024};
    Setting<Duration> timeout{{std::int64_t{15} * 60}};
    Setting<std::int64_t> max_tokens;
    Setting<std::int64_t> tokens;
    Setting<std::int64_t> calls;
    Setting<double> usd;
  } caps;

  struct Allow {
    Setting<TextList> models;
    Setting<TextList> paths;
    Setting<TextList> hosts;
    Setting<bool> server_tools{true};
  } allow;

  struct Log {
    Setting<std::string> bodies{"none"};
    Setting<std::string> responses{"none"};
    Setting<std::string> format{"text"};
    Setting<ByteSize> max_size{{std::int64_t{1} << 30}};
    Setting<FilePath> dir;
    Setting<FilePath> record;
  } log;

  // The files that were read, the profile itself last; for what must be protected from the agent.
  std::vector<std::filesystem::path> files;
  std::filesystem::path named;  // the last that was asked for; empty: a shipped one, or standard input
  // Where a relative path of a default starts: the profile's directory, or the current one.
  std::filesystem::path directory;
  // The profile's own position, for faults of something that nobody wrote.
  Span where;
};

}  // namespace sanduk

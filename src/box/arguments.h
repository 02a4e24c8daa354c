// The helper's command line, as box.cpp describes it.
#pragma once

namespace sanduk::box {

struct Arguments {
  static constexpr int most_paths = 512;

  const char* socket = nullptr;
  int port = 0;
  const char* token_variable = nullptr;
  bool no_relay = false;
  const char* consent = nullptr;
  int processes = 0;  // 0: not limited here
  int file_gigabytes = 0;
  bool hold = false;
  int probe_ports[most_paths] = {};
  int probe_ports_count = 0;
  bool print_report = false;
  const char* input = nullptr;
  bool terminal = false;
  const char* writable[most_paths] = {};
  int writable_count = 0;
  const char* protected_paths[most_paths] = {};
  int protected_count = 0;
  const char* dropped[most_paths] = {};
  int dropped_count = 0;
  char** agent = nullptr;  // ends with a null pointer
};

// False after it has said what is wrong.
bool read_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace sanduk::box

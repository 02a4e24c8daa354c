#include "box/arguments.h"

#include <cstdlib>

#include "box/text.h"

namespace sanduk::box {
namespace {

bool take_number(const char* text, int& value, long most = 65535) {
  char* end = nullptr;
  const long number = strtol(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || number < 1 || number > most) return false;
  value = static_cast<int>(number);
  return true;
}

bool add(const char** list, int& count, const char* value) {
  if (count == Arguments::most_paths) return false;
  list[count++] = value;
  return true;
}

bool complete(const Arguments& arguments) {
  if (arguments.hold) return true;
  if (arguments.agent == nullptr && !arguments.print_report) return say("no agent to run after --"), false;
  if (arguments.print_report || arguments.no_relay) return true;
  if (arguments.socket == nullptr) return say("--socket is missing"), false;
  if (arguments.port == 0) return say("--port is missing"), false;
  if (arguments.token_variable == nullptr) return say("--token-variable is missing"), false;
  return true;
}

}  // namespace

bool read_arguments(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const char* name = argv[i];
    if (equal(name, "--")) {
      if (i + 1 < argc) arguments.agent = argv + i + 1;
      break;
    }
    if (equal(name, "--no-relay")) {
      arguments.no_relay = true;
      continue;
    }
    if (equal(name, "--hold")) {
      arguments.hold = true;
      continue;
    }
    if (equal(name, "--terminal")) {
      arguments.terminal = true;
      continue;
    }
    if (equal(name, "--print-report")) {
      arguments.print_report = true;
      continue;
    }
    if (i + 1 == argc) return say("an option lacks its value", name), false;
    const char* value = argv[++i];
    bool fits = true;
    if (equal(name, "--socket")) {
      arguments.socket = value;
    } else if (equal(name, "--port")) {
      fits = take_number(value, arguments.port);
    } else if (equal(name, "--processes")) {
      fits = take_number(value, arguments.processes, 4'194'304);
    } else if (equal(name, "--file-size")) {
      fits = take_number(value, arguments.file_gigabytes);
    } else if (equal(name, "--probe-port")) {
      fits = arguments.probe_ports_count < Arguments::most_paths &&
             take_number(value, arguments.probe_ports[arguments.probe_ports_count++]);
    } else if (equal(name, "--token-variable")) {
      arguments.token_variable = value;
    } else if (equal(name, "--consent")) {
      arguments.consent = value;
    } else if (equal(name, "--stdin")) {
      arguments.input = value;
    } else if (equal(name, "--probe-writable")) {
      fits = add(arguments.writable, arguments.writable_count, value);
    } else if (equal(name, "--probe-protected")) {
      fits = add(arguments.protected_paths, arguments.protected_count, value);
    } else if (equal(name, "--drop-variable")) {
      fits = add(arguments.dropped, arguments.dropped_count, value);
    } else {
      return say("unknown option", name), false;
    }
    if (!fits) return say("bad or too many values for", name), false;
  }
  return complete(arguments);
}

}  // namespace sanduk::box

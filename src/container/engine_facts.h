// What differs between container engines, as data: one record an engine, and no other place knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

struct EngineFacts {
  std::string name;                       // as BoxNames::engine and Plan::engines have it
  std::string program;                    // looked up on PATH
  std::vector<std::string> create_flags;  // what `create` always gets
  std::vector<std::string> sealed_flags;  // what it gets besides where the box has no network
  std::string rootless_userns;            // value of --userns that keeps files the caller's; {uid} and {gid} filled in
  std::string start_hint;                 // how a stopped daemon is started
  std::string permission_hint;            // how a user is let in
};

// Throws std::logic_error for a name that is not in the table.
const EngineFacts& engine_facts(std::string_view name);

}  // namespace sanduk

// Which process owns a run, so that only what a dead one left is cleaned up.
#pragma once

#include <cstdint>
#include <string>

namespace sanduk {

// A process number alone can be taken again; together with the start time it names one process for good.
struct Owner {
  std::int64_t pid = 0;
  std::string start_time;  // field 22 of /proc/PID/stat; empty where the system does not tell

  bool operator==(const Owner&) const = default;
};

Owner this_process();
Owner process(std::int64_t pid);

// Whether that very process still runs. One that has ended and is only not yet waited for does not.
bool is_alive(const Owner& owner);

}  // namespace sanduk

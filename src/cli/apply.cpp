#include "cli/commands.h"
namespace sanduk {
int run_apply(const Invocation&, World&) { return 70; }
int run_run(const Invocation&, World&) { return 70; }
int run_relay(const Invocation&, World&) { return 70; }
}

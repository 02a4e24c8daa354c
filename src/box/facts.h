// What the box looks like from inside: facts for the report, no verdict. Each function writes its members into the
// report's one JSON object.
#pragma once

#include "box/arguments.h"
#include "box/text.h"

namespace sanduk::box {

// interfaces, routes, reach, nameservers, vsock; with a network of its own also tcp and host_ports. Waits at most 300
// ms for a name server, and 700 ms for a connection.
void add_network_facts(Json& report, const Arguments& arguments);

// capabilities, no_new_privileges, user_namespaces, uid, gid, groups, environment, processes.
void add_process_facts(Json& report);

// root_read_only, writable, protected. Leaves every file as it was.
void add_workspace_facts(Json& report, const Arguments& arguments);

// limits, sockets, devices, mounts.
void add_container_facts(Json& report);

}  // namespace sanduk::box

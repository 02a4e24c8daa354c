// The box as a container engine understands it: pure functions from the plan to argv, and from the self-test to words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "plan/plan.h"

namespace sanduk {

struct Cover;

// What a run adds to its plan: names and places that are known only now.
struct BoxNames {
  std::string run_id;  // "sanduk-" and lower-case hexadecimal: container name, label value
  PlannedEngine engine;
  std::string image;             // resolved reference
  std::string socket_directory;  // host directory with relay.sock, mounted read-only at /run/sanduk
  std::string helper_directory;  // host directory with the file `box`, mounted read-only at /sanduk
  std::string guard_directory;   // host directory with the stand-ins `empty-file` (0444) and `empty-directory` (0555)
  std::int64_t owner_pid = 0;
  std::string owner_start_time;  // field 22 of /proc/PID/stat
  std::string state_directory;
  std::string input_file = {};  // host file that becomes the agent's standard input; empty: /dev/null
  bool rootless = false;        // the engine runs as a plain user
  bool without_limits =
      false;  // the engine cannot set limits of control groups; processes are counted by the user then
  bool awaits_consent = false;  // a box without a relay tells its report first, and waits for the host's word
  bool interactive = false;     // a terminal and standard input for the agent
  // Transport gateway: the network of this run, and where the relay listens on its gateway, "ADDRESS:PORT".
  std::string network = {};
  std::string relay_address = {};
  std::vector<int> probe_ports = {};  // of other services of this host, which the box tries and should not reach
};

// Where things are inside the box.
inline constexpr std::string_view box_workspace = "/work";
inline constexpr std::string_view box_socket = "/run/sanduk/relay.sock";
inline constexpr std::string_view box_helper = "/sanduk/box";
inline constexpr std::string_view box_consent = "/sanduk/consent";  // in the helper's directory
inline constexpr std::string_view box_input = "/sanduk-input";
// The agent's documents lie below the helper's directory: `documents` there.
static_assert(box_documents == "/sanduk/documents");
inline constexpr int box_relay_port = 8750;  // on 127.0.0.1 inside

// Labels of every container of ours.
inline constexpr std::string_view label_run = "sanduk.run";
inline constexpr std::string_view label_owner_pid = "sanduk.owner-pid";
inline constexpr std::string_view label_owner_start = "sanduk.owner-start";
inline constexpr std::string_view label_state = "sanduk.state";

// `ENGINE create …` with every restriction of the plan. The token is inherited by name (-e NAME), never in argv.
// Looks at the workspace on the host, to see which protected paths are there; the second form is told (covers.h), looks
// at nothing, and is the one for a run that makes its mount points itself, so that the engine leaves none behind.
// Throws RunError (Failure::profile): "protected-path-is-link", "argument-too-long".
std::vector<std::string> create_command(const Plan& plan, const BoxNames& names);
std::vector<std::string> create_command(const Plan& plan, const BoxNames& names, const std::vector<Cover>& covers);
std::vector<std::string> start_command(const BoxNames& names);  // start --attach
std::vector<std::string> kill_command(const BoxNames& names);
std::vector<std::string> stop_command(const BoxNames& names);    // leaves it on disk
std::vector<std::string> attach_command(const BoxNames& names);  // its output; a signal ends the watching only
// One more program in a running box, as the box's own user. `terminal`: it gets one, and what is typed.
std::vector<std::string> exec_command(const BoxNames& names, bool terminal, const std::vector<std::string>& program);
std::vector<std::string> remove_command(const BoxNames& names);         // rm --force --volumes
std::vector<std::string> inspect_state_command(const BoxNames& names);  // prints "running|exited CODE OOM" in one line

// `ENGINE build …` of the plan's image. `inherited`: variables that the build takes from the client's environment by
// name.
std::vector<std::string> build_command(const PlannedImage& image, const PlannedEngine& engine, const std::string& file,
                                       const std::string& context, const std::vector<std::string>& inherited);
// Whether nothing of the image can be written in the box.
bool has_read_only_root(const Plan& plan, const PlannedEngine& engine);
// The plan as a box of this engine can be held to it: without what its report cannot show there.
Plan expected_of(const Plan& plan, const BoxNames& names);
// `text` with the relay's place in the box for {relay} and {relay_address}.
std::string with_relay(const Plan& plan, const std::string& text);

// Variables that the engine's client must have in its own environment, so that `-e NAME` finds them: those of the agent
// whose value holds {token}. In mode open, where there is no relay, {token} stands for the key itself.
std::map<std::string, std::string> inherited_variables(const Plan& plan, const Secret& token, const Secret& key);

// Transport gateway: the network of a run, named as its container is, and what keeps its bridge there. `leads_out`: a
// box that may reach the internet.
std::vector<std::string> create_network_command(const BoxNames& names, bool leads_out);
std::vector<std::string> inspect_network_command(const BoxNames& names);
std::vector<std::string> remove_network_command(const BoxNames& names);
std::vector<std::string> list_networks_command(const PlannedEngine& engine);
std::string holder_name(const BoxNames& names);
std::vector<std::string> start_holder_command(const BoxNames& names);
// What `network inspect` answered. Throws RunError (Failure::host, "engine-answer") where no gateway is found in it,
// and
// ("network-routable") where a network that is to lead nowhere does.
std::string read_gateway(std::string_view answer, const PlannedEngine& engine, bool leads_out);

// What the box could reach of the host besides its relay, in words; from the helper's report.
std::vector<std::string> reachable_host_ports(std::string_view report);

// Judges the helper's report (JSON text) against the plan. Every fault in words; none: the box is as planned. `key` is
// searched for in the variables and arguments that the report holds, whole and in pieces of 6 characters.
std::vector<std::string> check_box_report(std::string_view report, const Plan& plan, const Secret& key);

// Our containers, running or not, one a line, words apart by tabs.
std::vector<std::string> list_command(const PlannedEngine& engine);
struct ListedBox {
  std::string name;
  std::string state;  // "created", "running", "exited", …
  std::string run_id;
  std::int64_t owner_pid = 0;
  std::string owner_start_time;
  std::string state_directory;
};
// What it printed. A line that cannot be read throws RunError (Failure::host, "engine-answer"): a failing listing is
// never an empty one.
std::vector<ListedBox> read_list(std::string_view output, const PlannedEngine& engine = {});

// The networks of our runs: their names, and what `network inspect` says of those.
std::vector<std::string> inspect_networks_command(const PlannedEngine& engine, const std::vector<std::string>& names);
std::vector<std::string> read_network_names(std::string_view output, const PlannedEngine& engine);
std::vector<ListedBox> read_networks(std::string_view answer);

// `ENGINE image inspect …`; its answer: the image's digest and the user that it was built for.
std::vector<std::string> inspect_image_command(const PlannedEngine& engine, const std::string& ref);
struct ImageAnswer {
  std::string id;
  std::string agent_uid;  // label sanduk.agent-uid; empty: none
};
ImageAnswer read_image(std::string_view answer, const PlannedEngine& engine);

// What inspect_state_command printed.
struct StateAnswer {
  std::string status;  // "created", "running", "exited", …
  int exit_code = -1;  // -1: the engine does not say
  bool out_of_memory = false;
};
StateAnswer read_state(std::string_view answer, const PlannedEngine& engine);

}  // namespace sanduk

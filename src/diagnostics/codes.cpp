#include "diagnostics/codes.h"

#include <algorithm>

namespace sanduk {

const std::vector<CodeGroup>& code_groups() {
  static const std::vector<CodeGroup> groups = {
      {"reading a profile",
       {
           {"syntax",
            "The file is not valid TOML, YAML or JSON. The position is where the reader gave up; the cause often "
            "stands a line above it."},
           {"invalid-bytes",
            "The file holds bytes that no text file needs: a control character, or a sequence that is not UTF-8. Save "
            "it as UTF-8; write control characters as escapes inside quoted strings."},
           {"file-too-large", "A configuration file is at most 1 MiB. Usually the wrong file was named."},
           {"too-deep",
            "Tables, lists or dotted keys are nested deeper than 64 levels. No setting lies deeper than three tables."},
           {"duplicate-key", "One key is written twice in the same table, and the two might differ. Keep one."},
           {"yaml-subset",
            "Profiles use the part of YAML that means what TOML means: no anchors, aliases, merge keys, tags or second "
            "documents, so that what is read is what is seen. Use `extends` to share settings."},
           {"unknown-format",
            "The format is known by the file's extension: .toml, .yaml, .yml or .json. For standard input, name it: "
            "`sanduk validate - --format yaml`."},
           {"unreadable-file",
            "A file that the profile or the command line names cannot be read. Relative paths in a profile start at "
            "the file that says them; those on the command line start at the current directory."},
           {"unknown-key",
            "There is no such setting in this table. The message names the nearest one, or the table where the key "
            "belongs. A key is never ignored: it might have been a restriction."},
           {"wrong-type",
            "The value has another type than the setting takes. Nothing is converted: \"4\" is not 4, and `yes` is not "
            "true."},
           {"no-value",
            "The key is there, but nothing stands behind it. Absent, empty and null are different things; say which is "
            "meant."},
           {"missing-key",
            "A setting that is needed here was not given: a task, a model, a command, a cassette; or the key is not "
            "where the profile says."},
           {"bad-value",
            "The setting exists and the type is right, but the value is out of range or not of the form that is "
            "needed. The help line shows the form."},
           {"bad-variable", "A `${…}` is not closed or does not name a variable. `$$` is a plain dollar sign."},
           {"unset-variable", "A variable that the profile uses is not set. Set it, or write `${NAME:-default}`."},
           {"no-variables-here",
            "Restrictions (modes, lists, caps) take no variables: what a profile allows must be readable in it."},
           {"literal-key",
            "A key, or what looks like one, stands where everybody can read it. Profiles say where a key is "
            "(`provider.key = \"env:NAME\"`), never the key; and the box never gets one in a sealed run."},
           {"unknown-profile",
            "There is no shipped profile of this name. `sanduk list profiles` shows them with the comment on when to "
            "use each."},
           {"extends-cycle", "A profile extends itself, by way of others. The note shows the chain."},
           {"extends-too-deep", "More than 16 profiles extend one another."},
           {"locked",
            "A base has `locked = true`: whatever extends it, comes after it on the command line or is said by a flag "
            "may allow less than the base does, and not more. Both places are shown. What the base does not say is "
            "bound to its default, except names that may be replaced (provider, image)."},
           {"ceiling",
            "The administrator (/etc/sanduk/policy.toml) or you (~/.config/sanduk/policy.toml) set a ceiling for every "
            "profile on this machine, and this one asks for more. No profile and no flag can move it."},
       }},
      {"the command line",
       {
           {"usage", "The command needs other words than it was given."},
           {"unknown-run",
            "No run has this id or container, or several have it. Any part of an id that fits one run alone will do."},
           {"run-not-running", "The box of this run has ended, or was not started yet: there is nothing to look into."},
           {"no-copy", "Only a run with workspace.mode = \"copy\" leaves changes to look at and to take."},
           {"run-is-live", "The run is at work, and its copy of the workspace is not finished: nothing was taken."},
           {"take-conflict",
            "A file was changed in the workspace after the run had made its copy, and the run changed it as well. "
            "Nothing "
            "was taken; `sanduk changes` shows both sides, `sanduk take --force` takes the copy's."},
           {"no-terminal", "A shell needs somebody who types: standard input and output must be a terminal."},
           {"unknown-command", "There is no such command. `sanduk --help` lists them."},
           {"unknown-flag",
            "There is no such flag, or it belongs to another command. Flags are never abbreviated. A word that begins "
            "with a dash goes behind `--`."},
           {"retired-flag",
            "The original command line had this flag. It cannot be honoured any more; the message says why, and what "
            "to do instead."},
           {"missing-value", "The flag takes a value and none follows."},
           {"repeated-flag",
            "A setting is given twice on the command line, and the two might differ. Only flags of lists and tables "
            "are repeatable."},
           {"unwritable-file", "The file that a command is to write cannot be written there."},
           {"file-exists", "A file that is to be new is there already. Nothing is overwritten."},
       }},
      {"what a profile asks for",
       {
           {"no-effect",
            "A setting that would change nothing, in this mode, for this agent or for this provider. It is refused "
            "because whoever wrote it believes that it does something. Both places are shown."},
           {"unknown-placeholder",
            "A descriptor of an agent holds a word in braces that stands for nothing there. The help line names those "
            "that are known in this place; a word of [protocol.NAME] must be there for each protocol of the agent."},
           {"task-not-passed",
            "A descriptor of an agent passes {task} neither in its command nor on its standard input, so that the "
            "agent would start without knowing what to do."},
           {"unsupported-setting", "The agent has nothing for this setting. `sanduk list agents` shows what each has."},
           {"unknown-agent",
            "There is no agent of this name among the shipped ones and yours in ~/.config/sanduk/agents."},
           {"unknown-provider",
            "There is no provider of this name among the shipped ones and yours in ~/.config/sanduk/providers."},
           {"unknown-engine",
            "There is no container engine of this name among the shipped ones and yours in ~/.config/sanduk/engines."},
           {"no-shared-protocol",
            "Agent and provider speak different protocols, and the relay does not translate. The help line names "
            "providers that fit."},
           {"model-not-allowed",
            "The agent is told to ask for a model that the profile's own list does not hold: every call would be "
            "refused."},
           {"unknown-path",
            "A warning: an allowed path is not an endpoint of this provider, so neither models nor tokens are seen "
            "there."},
           {"plaintext-upstream",
            "The real key would cross a network unencrypted. Use https; `insecure_upstream = true` accepts the risk."},
           {"reserved-variable", "A variable by which the agent finds the relay cannot be set by hand."},
           {"token-in-argv",
            "The run token would stand in the agent's command line, which others can read. It is given in a variable."},
           {"task-twice", "There is a task and a task_file in the same layer; one of the two is meant."},
           {"empty-task", "The task is there and says nothing."},
           {"task-too-long",
            "A task is at most 1 MiB, and 128 KiB where a program gets it as one argument. Put the long part into a "
            "file "
            "of the workspace."},
           {"argument-too-long", "One argument or variable is longer than the kernel passes on (128 KiB)."},
           {"bad-workspace",
            "The workspace is not a directory, or one that must not be given to an agent: the whole host, your home, a "
            "system directory, or sanduk's own records."},
           {"bad-mount",
            "A mount that must not be: it does not exist, is a device or a socket, exposes the host, or covers a place "
            "that the box needs."},
           {"protected-link",
            "A protected path goes through a symbolic link, so that protecting it would protect another place."},
           {"protected-path-is-link", "A protected path became a symbolic link after the plan was made."},
           {"report-protected", "The report lies in a path that the agent may not write."},
           {"log-in-reach",
            "Logs or recordings lie inside what the box is given: the agent could read and change its own audit "
            "trail."},
           {"key-in-reach", "The file that holds the key would be readable in the box."},
       }},
      {"plans and recordings",
       {
           {"bad-plan", "The file is not a plan of this version. Plans are written by `sanduk plan FILE -o PLAN`."},
           {"plan-changed",
            "The plan does not fit its own digest: it was edited after it was written. Change the profile and write "
            "the plan anew."},
           {"plan-stale",
            "A file that the plan was made from, or that the run would read, is not what it was when the plan was "
            "reviewed."},
           {"bad-cassette", "A recording cannot be read. The position is the line of the recording."},
           {"unknown-reader",
            "The plan names an output format that this program does not read; another version wrote it."},
       }},
      {"the host is not ready",
       {
           {"engine-missing", "The container engine is not installed."},
           {"engine-stopped", "The engine is installed, but its daemon does not answer."},
           {"engine-denied", "The engine answers, but not to you: its socket belongs to another user or group."},
           {"engine-answer",
            "The engine answered something that cannot be understood; its version may be too old or too new."},
           {"not-managed", "The engine's service is started and stopped outside of sanduk: by the system, or by hand."},
           {"network-failed", "The network of the run could not be made, or this host has no address in it."},
           {"network-routable", "The engine made a network that leads out where it was asked for one that does not."},
           {"mount-path", "Podman's command line cannot name a path that holds a comma or a quote. Docker's can."},
           {"workspace-copy", "The copy of the workspace could not be made: usually the disk is full."},
           {"image-missing", "The image is not there and there is nothing to build it from."},
           {"image-build-failed", "The engine could not build the image; its last lines are shown."},
           {"image-drift",
            "The image is not the one that is pinned, by the engine's own id of it: by `image.digest`, by the lock "
            "file "
            "beside the profile, or by a plan that was written with `--pin`. `sanduk build --lock` writes the lock "
            "file, NAME.lock.toml beside NAME.toml, and each engine has a table [images.ENGINE] in it; a profile that "
            "asks for an image that is not in it is refused as well. What an engine builds anew has a new digest: to "
            "have the same image on several machines, push it to a registry and name it by image.ref."},
           {"image-uid", "The image runs as another user than the plan says."},
           {"container-failed", "The engine could not create or start the container."},
           {"box-broken",
            "The box is not what the plan says. It was looked at from inside before the agent was started; no model "
            "call was answered."},
           {"box-not-as-planned", "The relay's word for `box-broken`."},
           {"run-directory", "The directory for the run's sockets cannot be made."},
           {"record-unwritable", "The run's record cannot be written."},
           {"cannot-record", "The recording cannot be written."},
           {"cannot-listen", "The relay cannot have the address that it was told to listen on."},
           {"cannot-log",
            "A request could not be logged as the profile demands, so it was not sent, and the run was ended."},
           {"bad-proxy",
            "The variable `HTTPS_PROXY` (or `https_proxy`) does not name a proxy that can be used. `NO_PROXY` excepts "
            "hosts "
            "from it."},
           {"unknown-price",
            "`caps.usd` counts money by a table of prices, and the model that the agent asks for is not in it. Add a "
            "row "
            "to `~/.config/sanduk/prices.toml`, or bound the run by `caps.tokens`."},
           {"tls-not-ready",
            "TLS cannot be prepared, usually because `SSL_CERT_FILE` names a file that holds no certificate of an "
            "authority. Unset it, or name a PEM file."},
           {"unreadable-key",
            "The key's source cannot be read, gives nothing, or gives something that is no key. What it gave is never "
            "shown."},
           {"upstream-unreachable",
            "The provider could not be reached to ask whether the key is good. `--skip-key-check` leaves the question "
            "out."},
           {"key-refused",
            "The provider refuses the key. Found before anything was built, or during the run if it was withdrawn."},
       }},
      {"how a run ended",
       {
           {"agent-failed", "The agent ended with a code of its own, which is passed on."},
           {"verify-failed",
            "The agent ended well, but the profile's `verify` command, run afterwards in a box without relay, key or "
            "network, did not end with 0. The run counts as failed: exit code 1."},
           {"no-final-result", "The agent ended well, but said no final result."},
           {"out-of-memory", "The box ran out of the memory that caps.memory gives it."},
           {"timed-out", "The run took longer than caps.timeout."},
           {"interrupted", "The run was ended by a signal. Everything was undone."},
           {"budget-spent",
            "The calls or tokens that the profile allows are used up; the relay refused the next call and ended the "
            "run."},
           {"cassette-miss", "The recording holds no answer for what was asked. The message says what was asked."},
           {"report-missing", "A note: the agent wrote no report."},
           {"internal-error", "A fault of sanduk itself."},
       }},
  };
  return groups;
}

const CodeDoc* find_code(std::string_view code) {
  for (const CodeGroup& group : code_groups()) {
    const auto found =
        std::find_if(group.codes.begin(), group.codes.end(), [&](const CodeDoc& doc) { return doc.code == code; });
    if (found != group.codes.end()) return &*found;
  }
  return nullptr;
}

std::vector<std::string> code_words() {
  std::vector<std::string> words;
  for (const CodeGroup& group : code_groups()) {
    for (const CodeDoc& doc : group.codes) words.emplace_back(doc.code);
  }
  return words;
}

}  // namespace sanduk

// Checks an agent's descriptor for what its table of fields cannot see: readers, placeholders, a task that is passed.
//
// Placeholders of a descriptor:
//   {relay}          the relay's root URL, "http://127.0.0.1:PORT"; in mode open the provider's
//   {api_prefix}     the provider's, such as "/v1" or "/api/v1"; {api_root} is the same without a last "/v1"
//   {base_url}       endpoint.base_url, filled in       {key_variable}  endpoint.key_variable
//   {model}          the model; empty if none is named  {documents}     directory of [documents] in the box
//   {task}           the prompt, in argv and input      {settings}      in argv, as a word of its own: argv_with goes
//   here {token}          the run's token, in variables only {SETTING}       its value, in its own group of argv_with
// and the words of [protocol.NAME], for the protocol that is spoken.
#pragma once

#include "catalog/records.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {

void check_agent_record(const AgentRecord& agent, Diagnostics& problems);

}  // namespace sanduk

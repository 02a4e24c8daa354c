// Every member of the plan by its JSON name, once: the writer and the reader are two visitors of this list.
#pragma once

#include "plan/plan.h"

namespace sanduk {

template <class Visitor>
void visit(Visitor& v, Variable& m) {
  v("name", m.name);
  v("value", m.value);
}

template <class Visitor>
void visit(Visitor& v, PlannedAgent& m) {
  v("name", m.name);
  v("argv", m.argv);
  v("variables", m.variables);
  v("token_variable", m.token_variable);
  v("reader", m.reader);
  v("protocol", m.protocol);
  v("input", m.input);
  v("documents", m.documents);
}

template <class Visitor>
void visit(Visitor& v, PlannedImage& m) {
  v("ref", m.ref);
  v("containerfile", m.containerfile);
  v("build_arguments", m.build_arguments);
  v("rebuild", m.rebuild);
  v("base_ref", m.base_ref);
  v("recipe", m.recipe);
  v("digest", m.digest);
  v("pins", m.pins);
  v("pinned_in", m.pinned_in);
}

template <class Visitor>
void visit(Visitor& v, PlannedWorkspace& m) {
  v("host_path", m.host_path);
  v("protected", m.protected_paths);
  v("report", m.report);
  v("mode", m.mode);
  v("collect", m.collect);
  v("report_copy", m.report_copy);
}

template <class Visitor>
void visit(Visitor& v, PlannedEngine& m) {
  v("name", m.name);
  v("program", m.program);
  v("dialect", m.dialect);
  v("create_flags", m.create_flags);
  v("sealed_flags", m.sealed_flags);
  v("lacks", m.lacks);
  v("rootless_userns", m.rootless_userns);
  v("remove", m.remove);
  v("label_words", m.label_words);
  v("global_runtime", m.global_runtime);
  v("gateway_at", m.gateway_at);
  v("internal_at", m.internal_at);
  v("needs_holder", m.needs_holder);
  v("mounts_sockets", m.mounts_sockets);
  v("virtual_machine", m.virtual_machine);
  v("ready", m.ready);
  v("service_start", m.service_start);
  v("service_stop", m.service_stop);
  v("start_hint", m.start_hint);
  v("permission_hint", m.permission_hint);
}

template <class Visitor>
void visit(Visitor& v, PlannedMount& m) {
  v("host_path", m.host_path);
  v("box_path", m.box_path);
  v("read_only", m.read_only);
}

template <class Visitor>
void visit(Visitor& v, PlannedVerify& m) {
  v("argv", m.argv);
  v("timeout_seconds", m.timeout_seconds);
}

template <class Visitor>
void visit(Visitor& v, PlannedLimits& m) {
  v("cpus", m.cpus);
  v("memory_bytes", m.memory_bytes);
  v("pids", m.pids);
  v("timeout_seconds", m.timeout_seconds);
}

template <class Visitor>
void visit(Visitor& v, PlannedUser& m) {
  v("uid", m.uid);
  v("gid", m.gid);
}

template <class Visitor>
void visit(Visitor& v, Upstream& m) {
  v("scheme", m.scheme);
  v("host", m.host);
  v("port", m.port);
}

template <class Visitor>
void visit(Visitor& v, Route& m) {
  v("methods", m.methods);
  v("path", m.path);
  v("protocol", m.protocol);
  v("has_model", m.has_model);
}

template <class Visitor>
void visit(Visitor& v, Price& m) {
  v("model", m.model);
  v("in", m.in);
  v("out", m.out);
  v("cache_read", m.cache_read);
  v("cache_write", m.cache_write);
  v("long_context", m.long_context);
  v("long_in", m.long_in);
  v("long_out", m.long_out);
}

template <class Visitor>
void visit(Visitor& v, AllowedHost& m) {
  v("name", m.name);
  v("port", m.port);
}

template <class Visitor>
void visit(Visitor& v, KeyCheck& m) {
  v("path", m.path);
  v("headers", m.headers);
}

template <class Visitor>
void visit(Visitor& v, PlannedRelay& m) {
  v("provider", m.provider);
  v("upstream", m.upstream);
  v("cassette", m.cassette);
  v("auth_header", m.auth_header);
  v("auth_scheme", m.auth_scheme);
  v("key_source", m.key_source);
  v("key_optional", m.key_optional);
  v("key_check", m.key_check);
  v("routes", m.routes);
  v("models", m.models);
  v("max_tokens", m.max_tokens);
  v("budget_calls", m.budget_calls);
  v("budget_tokens", m.budget_tokens);
  v("budget_usd", m.budget_usd);
  v("prices", m.prices);
  v("provider_reports_cost", m.provider_reports_cost);
  v("hosts", m.hosts);
  v("server_tools", m.server_tools);
  v("ask_for_usage", m.ask_for_usage);
  v("insecure_upstream", m.insecure_upstream);
}

template <class Visitor>
void visit(Visitor& v, PlannedLog& m) {
  v("bodies", m.bodies);
  v("directory", m.directory);
  v("record_file", m.record_file);
  v("responses", m.responses);
  v("json_lines", m.json_lines);
  v("most_bytes", m.most_bytes);
}

template <class Visitor>
void visit(Visitor& v, PlannedFile& m) {
  v("path", m.path);
  v("sha256", m.sha256);
}

template <class Visitor>
void visit(Visitor& v, Plan& m) {
  v("name", m.name);
  v("mode", m.mode);
  v("transport", m.transport);
  v("strict_network", m.strict_network);
  v("engines", m.engines);
  v("oci_runtime", m.oci_runtime);
  v("task", m.task);
  v("agent", m.agent);
  v("image", m.image);
  v("workspace", m.workspace);
  v("mounts", m.mounts);
  v("user", m.user);
  v("limits", m.limits);
  v("relay", m.relay);
  v("log", m.log);
  v("verify", m.verify);
  v("keep", m.keep);
  v("read_only_root", m.read_only_root);
  v("writable", m.writable);
  v("files", m.files);
}

}  // namespace sanduk

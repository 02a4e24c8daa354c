#include "relay/harness.h"

#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/text.h"

namespace sanduk::test {

std::string request(std::string_view method, std::string_view target, std::string_view body, std::string_view headers) {
  std::string text = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: relay\r\n";
  if (headers.find("x-api-key") == std::string_view::npos && headers.find("uthorization") == std::string_view::npos) {
    text += "x-api-key: " + std::string(run_token) + "\r\n";
  }
  text += headers;
  if (method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + std::string(body);
}

RelayTest::RelayTest() : plan(settings.plan) {
  plan.provider = "anthropic";
  plan.auth_header = "x-api-key";
  plan.routes = {{{"POST"}, "/v1/messages", Protocol::anthropic_messages, true},
                 {{"POST"}, "/v1/messages/count_tokens", Protocol::none, true},
                 {{"GET"}, "/v1/models", Protocol::none, false}};
  settings.key = Secret(real_key);
  settings.token = Secret(run_token);
  settings.on_call = [this](const CallRecord& call) {
    const std::lock_guard lock(mutex_);
    records_.push_back(call);
  };
  settings.on_stop = [this](const std::string& code, const std::string& why) {
    const std::lock_guard lock(mutex_);
    stops_.emplace_back(code, why);
  };
  settings.limits.drain_total = std::chrono::milliseconds(300);
}

RelayTest::~RelayTest() {
  relay_.reset();
  upstream_.reset();
  std::error_code error;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, error);
}

ScriptedUpstream& RelayTest::upstream() {
  if (!upstream_) upstream_ = std::make_unique<ScriptedUpstream>();
  return *upstream_;
}

void RelayTest::use_tls(const ScriptedTls& tls, const std::string& host) {
  trusted_authority();
  upstream_ = std::make_unique<ScriptedUpstream>(tls);
  plan.upstream = Upstream{"https", host, upstream_->port()};
}

void RelayTest::use_openai() {
  plan.provider = "openai";
  plan.auth_header = "authorization";
  plan.auth_scheme = "Bearer";
  plan.routes = {{{"POST"}, "/v1/chat/completions", Protocol::openai_chat, true},
                 {{"POST"}, "/v1/responses", Protocol::openai_responses, true},
                 {{"GET"}, "/v1/models", Protocol::none, false}};
}

void RelayTest::use_cassette(const std::string& text) {
  plan.cassette = directory() + "/cassette.jsonl";
  std::ofstream(plan.cassette) << text;
  plan.upstream.reset();
  settings.key = Secret();
}

void RelayTest::start() {
  if (!plan.upstream && plan.cassette.empty()) plan.upstream = Upstream{"http", "127.0.0.1", upstream().port()};
  RelaySettings copy;
  copy.plan = settings.plan;
  copy.log = settings.log;
  copy.key = settings.key.copy();
  copy.token = settings.token.copy();
  if (settings.proxy) copy.proxy = settings.proxy->copy();
  copy.tunnels = std::move(settings.tunnels);
  copy.tunnel_objection = settings.tunnel_objection;
  copy.judge_box = settings.judge_box;
  copy.on_call = settings.on_call;
  copy.on_stop = settings.on_stop;
  copy.limits = settings.limits;
  relay_ = std::make_unique<Relay>(std::move(copy));
  relay_->listen_tcp("127.0.0.1", 0);
}

int RelayTest::port() const {
  const std::string url = relay_->url();
  return std::atoi(url.substr(url.rfind(':') + 1).c_str());
}

Reply RelayTest::ask(std::string_view bytes, bool head_only) {
  RawClient client = connect();
  client.send(bytes);
  return client.read_reply(head_only);
}

Reply RelayTest::post(std::string_view body, std::string_view headers, std::string_view path) {
  return ask(request("POST", path, body, headers));
}

std::vector<CallRecord> RelayTest::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

bool RelayTest::wait_for_records(std::size_t count) const {
  for (int i = 0; i < 500 && records().size() < count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return records().size() >= count;
}

CallRecord RelayTest::record(std::size_t count) const {
  if (!wait_for_records(count)) {
    ADD_FAILURE() << "no record number " << count;
    return {};
  }
  return records()[count - 1];
}

std::vector<std::pair<std::string, std::string>> RelayTest::stops() const {
  for (int i = 0; i < 20; ++i) {
    {
      const std::lock_guard lock(mutex_);
      if (!stops_.empty()) return stops_;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return {};
}

std::string RelayTest::directory() {
  if (directory_.empty()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "sanduk-relay-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  return directory_;
}

TestAuthority& trusted_authority() {
  static TestAuthority authority;
  setenv("SSL_CERT_FILE", authority.certificate_file().c_str(), 1);
  return authority;
}

std::vector<std::string> anthropic_events() {
  return {
      "event: message_start\ndata: "
      "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"claude-x\",\"usage\":"
      "{\"input_tokens\":25,\"cache_creation_input_tokens\":3,\"cache_read_input_tokens\":4,\"output_tokens\":1}}}\n\n",
      "event: content_block_delta\ndata: "
      "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
      "\"text\":\"h\xC3\xA4llo \\\"usage\\\":{\\\"output_tokens\\\":999}\"}}\n\n",
      "event: ping\ndata: {\"type\":\"ping\"}\n\n",
      "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":"
      "{\"output_tokens\":15}}\n\n",
      "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
  };
}

std::string joined(const std::vector<std::string>& parts) { return join(parts, ""); }

std::string gzip(std::string_view text, bool flush_each_line) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY);
  std::string result;
  const auto push = [&](std::string_view piece, int mode) {
    std::string buffer(piece.size() + 256, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      deflate(&stream, mode);
      result.append(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  };
  while (flush_each_line && !text.empty()) {
    const std::size_t end = text.find('\n') + 1;
    push(text.substr(0, end), Z_SYNC_FLUSH);
    text.remove_prefix(end);
  }
  push(text, Z_FINISH);
  deflateEnd(&stream);
  return result;
}

}  // namespace sanduk::test

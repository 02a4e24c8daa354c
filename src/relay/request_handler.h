// One request, from its head to the last byte of its answer.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relay/answer.h"
#include "relay/client_socket.h"
#include "relay/policy.h"
#include "relay/service.h"
#include "relay/usage_reader.h"

namespace sanduk {

class RequestHandler {
 public:
  RequestHandler(Service& service, ClientSocket& client);

  // Reads and answers the next request. True: the connection may serve another one.
  bool run();

 private:
  bool handle();
  // Each step refuses by returning the refusal; the first one ends the request.
  std::optional<Refusal> judge_head();
  std::optional<Refusal> judge_connect();
  std::optional<Refusal> judge_request_body();
  void judge_text(std::string_view text);
  std::optional<Refusal> check_price();
  Spending estimate() const;
  std::optional<Refusal> decode_body();
  std::optional<Refusal> keep_transcript();
  std::optional<Refusal> reserve();

  enum class Step { go_on, refused, gone };
  Step read_request();
  Step take_body(std::size_t most);

  bool refuse(const Refusal& refusal);
  bool take_report();
  bool open_tunnel();
  bool ask();
  bool stream(Answer& answer);
  bool give_up(std::string why);
  void watch_key_refusals(int status);
  void settle();
  void finish();

  Service& service_;
  ClientSocket& client_;
  RequestHead head_;
  const Route* route_ = nullptr;
  const TunnelTarget* tunnel_ = nullptr;  // of CONNECT
  Bytes body_;                            // as the client sent it
  std::string decoded_;                   // when it was compressed
  bool was_encoded_ = false;
  Judgement judgement_;
  const Price* price_ = nullptr;  // of the model, where money is counted by the plan's prices
  Budget::Reservation reservation_;
  std::optional<Refusal> refusal_;
  std::unique_ptr<UsageReader> usage_;
  CallRecord record_;
  Clock::time_point started_;
  bool sent_ = false;  // the provider may have got the request
  bool finished_ = false;
};

}  // namespace sanduk

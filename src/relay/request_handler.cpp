#include "relay/request_handler.h"

#include <limits>
#include <new>

#include "base/text.h"
#include "relay/answer_stream.h"
#include "relay/forward.h"
#include "relay/inflate.h"
#include "relay/money.h"
#include "relay/protocol.h"

namespace sanduk {
namespace {

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

bool has_body(const RequestHead& head) { return head.framing.kind != Framing::Kind::none; }

bool takes_body(std::string_view method) { return method == "POST" || method == "PUT" || method == "PATCH"; }

}  // namespace

RequestHandler::RequestHandler(Service& service, ClientSocket& client)
    : service_(service), client_(client), body_(service.body_memory) {}

bool RequestHandler::run() {
  try {
    return handle();
  } catch (const std::bad_alloc&) {
    return give_up("the relay is out of memory");
  } catch (const std::exception& problem) {
    return give_up(std::string("a fault of the relay: ") + problem.what());
  }
}

bool RequestHandler::handle() {
  switch (read_request()) {
    case Step::gone:
      return false;
    case Step::refused:
      return refuse(*refusal_);
    case Step::go_on:
      break;
  }
  if (tunnel_ != nullptr) return open_tunnel();
  if (head_.path == box_report_path && service_.gate.expects_report()) return take_report();
  switch (take_body(service_.limits.body_bytes)) {
    case Step::gone:
      return give_up("the client left before its request was whole");
    case Step::refused:
      return refuse(*refusal_);
    case Step::go_on:
      break;
  }
  if (const std::optional<Refusal> refusal = judge_request_body()) return refuse(*refusal);
  if (const std::optional<Refusal> refusal = keep_transcript()) return refuse(*refusal);
  if (const std::optional<Refusal> refusal = reserve()) return refuse(*refusal);
  if (finished_) return false;
  return ask();
}

RequestHandler::Step RequestHandler::read_request() {
  HeadFault fault;
  const ClientSocket::HeadResult result = client_.read_head(head_, &fault);
  if (result == ClientSocket::HeadResult::closed) return Step::gone;
  started_ = Clock::now();
  record_.id = service_.log.next_id();
  record_.started = std::chrono::system_clock::now();
  record_.method = head_.method;
  record_.path = head_.path;
  if (result == ClientSocket::HeadResult::faulty) {
    if (fault.status == 0) {
      give_up(fault.why);
      return Step::gone;
    }
    refusal_ = fault.status == 431 ? head_too_large(fault.why) : bad_request(fault.why);
    refusal_->status = fault.status;
    return Step::refused;
  }
  refusal_ = judge_head();
  return refusal_ ? Step::refused : Step::go_on;
}

std::optional<Refusal> RequestHandler::judge_head() {
  if (head_.method == "CONNECT") return judge_connect();
  const PlannedRelay& plan = service_.settings.plan;
  if (std::optional<Refusal> refusal = check_token(head_.headers, plan, service_.settings.token)) return refusal;
  if (query_has_credential(head_.query)) return bad_request("a parameter of the query that may carry a credential");
  if (head_.path == box_report_path && service_.gate.expects_report()) {
    if (head_.method != "POST") return forbidden("a report is sent with POST");
  } else {
    const RouteAnswer answer = find_route(head_, plan.routes);
    route_ = answer.route;
    if (answer.refusal) return answer.refusal;
    record_.completion = facts_of(route_->protocol) != nullptr;
    if (std::optional<Refusal> refusal = service_.gate.check()) return refusal;
    if (record_.completion) {
      if (std::optional<Refusal> refusal = service_.budget.check()) return refusal;
    }
  }
  if (takes_body(head_.method) && !has_body(head_)) return length_required();
  const bool sends = head_.framing.kind == Framing::Kind::chunked || head_.framing.length > 0;
  if (!takes_body(head_.method) && sends) return bad_request("a body on a " + printable(head_.method) + " request");
  return std::nullopt;
}

std::optional<Refusal> RequestHandler::judge_connect() {
  const RelaySettings& settings = service_.settings;
  if (settings.tunnels.empty()) return bad_request("CONNECT, and this run has no allow.hosts");
  if (std::optional<Refusal> refusal = check_proxy_token(head_.headers, settings.token)) return refusal;
  if (std::optional<Refusal> refusal = service_.gate.check()) return refusal;
  if (has_body(head_)) return bad_request("a body on a CONNECT request");
  const std::string authority = lower(head_.path);
  for (const TunnelTarget& target : settings.tunnels) {
    if (target.authority == authority) tunnel_ = &target;
  }
  if (tunnel_ != nullptr) return std::nullopt;
  return forbidden("the host " + printable(head_.path) + " is not one of this run's allow.hosts");
}

RequestHandler::Step RequestHandler::take_body(std::size_t most) {
  Refusal refusal;
  try {
    switch (client_.read_body(head_, most, body_, &refusal)) {
      case ClientSocket::BodyResult::read:
        break;
      case ClientSocket::BodyResult::gone:
        return Step::gone;
      case ClientSocket::BodyResult::refused:
        refusal_ = std::move(refusal);
        return Step::refused;
    }
  } catch (const MemoryRoom::Full&) {
    refusal_ = not_open("too many large requests at once");
    return Step::refused;
  }
  record_.request_bytes = static_cast<std::int64_t>(body_.size());
  return Step::go_on;
}

std::optional<Refusal> RequestHandler::decode_body() {
  const std::optional<std::string_view> encoding = find_header(head_.headers, "content-encoding");
  if (!encoding || equal_ignoring_case(*encoding, "identity")) return std::nullopt;
  if (!equal_ignoring_case(*encoding, "gzip") && !equal_ignoring_case(*encoding, "x-gzip")) {
    return unsupported_encoding("a request body in " + printable(*encoding) + " cannot be judged; send gzip or none");
  }
  bool too_large_once_decoded = false;
  std::optional<std::string> text = gunzip(body_.view(), service_.limits.body_bytes, &too_large_once_decoded);
  if (too_large_once_decoded) return too_large("the request's body is too large once it is decompressed");
  if (!text) return bad_request("the request's body is not whole gzip");
  decoded_ = std::move(*text);
  was_encoded_ = true;
  return std::nullopt;
}

std::optional<Refusal> RequestHandler::judge_request_body() {
  if (!has_policy(*route_) || !takes_body(head_.method)) return std::nullopt;
  if (std::optional<Refusal> refusal = decode_body()) return refusal;
  const std::string_view text = was_encoded_ ? std::string_view(decoded_) : body_.view();
  judge_text(text);
  if (!judgement_.refusal && record_.completion) return check_price();
  return judgement_.refusal;
}

void RequestHandler::judge_text(std::string_view text) {
  const auto rest = [this](const std::string& model, std::int64_t in) { return service_.budget.rest(model, in); };
  const std::string_view path_model = model_in(head_.path);
  judgement_ = judge_body(text, {*route_, service_.settings.plan, service_.limits.json_depth, path_model, rest});
  record_.model = judgement_.model;
}

// A budget of money needs to know what things cost.
std::optional<Refusal> RequestHandler::check_price() {
  const PlannedRelay& plan = service_.settings.plan;
  if (!plan.budget_usd || plan.provider_reports_cost) return std::nullopt;
  price_ = price_of(plan.prices, judgement_.model);
  if (price_ != nullptr) return std::nullopt;
  return forbidden("the price of the model \"" + printable(judgement_.model) +
                   "\" is not known, and this run has a budget of money; add it to prices.toml");
}

Spending RequestHandler::estimate() const {
  const PlannedRelay& plan = service_.settings.plan;
  if (!plan.budget_usd) return {judgement_.tokens(), 0};
  const double unknown = std::numeric_limits<double>::infinity();
  const double usd = price_ == nullptr ? unknown
                                       : most_cost(static_cast<double>(judgement_.in_tokens),
                                                   static_cast<double>(judgement_.out_tokens), *price_);
  return {judgement_.tokens(), usd};
}

std::optional<Refusal> RequestHandler::keep_transcript() {
  if (!takes_body(head_.method)) return std::nullopt;
  const std::optional<std::string> problem = service_.transcript.write_body(record_.id, body_.view());
  if (!problem) return std::nullopt;
  service_.log.ask_to_stop("cannot-log", *problem);
  return upstream_failed("the request cannot be recorded, so it is not sent: " + *problem);
}

std::optional<Refusal> RequestHandler::reserve() {
  if (!record_.completion) return std::nullopt;
  const Clock::time_point asked = Clock::now();
  Budget::Admission admission =
      service_.budget.admit(estimate(), Clock::now() + service_.limits.budget_wait, service_.stop, client_.fd());
  record_.seconds_queued = seconds_since(asked);
  if (admission.gave_up) give_up("the client left while its call waited for the budget");
  reservation_ = std::move(admission.reservation);
  if (admission.refusal || !admission.tight || !has_policy(*route_)) return std::move(admission.refusal);
  judge_text(was_encoded_ ? std::string_view(decoded_) : body_.view());
  return judgement_.refusal;
}

bool RequestHandler::refuse(const Refusal& refusal) {
  record_.status = refusal.status;
  record_.refusal = refusal.kind;
  record_.why = refusal.why;
  // Before the answer: whoever has read it finds the record.
  finish();
  const ErrorShape shape = route_ == nullptr ? service_.shape : error_shape_of(route_->protocol, service_.shape);
  const bool written = client_.write({render_refusal(refusal, shape, head_.method != "HEAD")});
  if (refusal.status == 402) service_.log.ask_to_stop("budget-spent", refusal.why);
  if (refusal.kind == "cassette_miss") service_.log.ask_to_stop("cassette-miss", refusal.why);
  if (written) client_.close_after_refusal();
  return false;
}

bool RequestHandler::give_up(std::string why) {
  if (record_.id == 0) return false;  // no request had come
  record_.complete = false;
  record_.completion = record_.completion && sent_;  // what was never sent has no usage to miss
  record_.why = std::move(why);
  finish();
  return false;
}

// The helper inside the box reports what it sees. A good report is plumbing, not a call: it leaves no record.
bool RequestHandler::take_report() {
  switch (take_body(service_.limits.report_bytes)) {
    case Step::gone:
      return give_up("the client left before its request was whole");
    case Step::refused:
      return refuse(*refusal_);
    case Step::go_on:
      break;
  }
  std::vector<std::string> faults;
  const std::optional<Refusal> refusal = service_.gate.take_report(body_.view(), &faults);
  if (refusal) {
    refuse(*refusal);
    if (!faults.empty()) service_.log.ask_to_stop("box-not-as-planned", join(faults, "; "));
    return false;
  }
  finished_ = true;
  const bool written = client_.write({"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n",
                                      head_.keep_alive ? "" : "connection: close\r\n", "\r\n{\"ok\":true}"});
  return written && head_.keep_alive;
}

// Nothing else comes on this connection. Whatever the box says to the host, none of it is ours.
bool RequestHandler::open_tunnel() {
  Tunnel tunnel(service_.limits, service_.stop, client_);
  if (const std::optional<Refusal> refusal = tunnel.connect(*tunnel_, service_.settings.tunnel_objection)) {
    return refuse(*refusal);
  }
  record_.status = 200;
  record_.seconds_to_first_byte = seconds_since(started_);
  const bool whole = client_.write({"HTTP/1.1 200 Connection Established\r\n\r\n"}) && tunnel.pass();
  record_.complete = whole;
  record_.request_bytes = tunnel.sent();
  record_.response_bytes = tunnel.received();
  if (!whole) record_.why = tunnel.why().empty() ? "the client left" : tunnel.why();
  finish();
  client_.close_broken(!whole);
  return false;
}

bool RequestHandler::ask() {
  Question question;
  question.method = head_.method;
  question.path = head_.path;
  question.query = head_.query;
  question.headers = &head_.headers;
  question.has_body = takes_body(head_.method);
  question.was_encoded = was_encoded_;
  question.body = was_encoded_ ? std::string_view(decoded_) : body_.view();
  question.pieces = apply_edits(question.body, judgement_.edits);
  question.client = client_.fd();
  auto asked = service_.source->ask(question);
  if (service_.transcript.wants_digest() && question.has_body) record_.body_digest = sha256(body_.view());
  if (const auto* const none = std::get_if<NoAnswer>(&asked)) {
    // The provider may charge for what it got, whether or not somebody waits for the answer.
    sent_ = none->sent;
    if (sent_) {
      reservation_.settle(reservation_.held());
    } else {
      reservation_.give_back();
    }
    switch (none->reason) {
      case NoAnswer::Reason::failed:
      case NoAnswer::Reason::not_recorded:
        return refuse(none->refusal);
      case NoAnswer::Reason::client_gone:
        return give_up("the client left before the answer began");
      case NoAnswer::Reason::stopped:
        return give_up("the relay was stopped before the answer began");
    }
  }
  Answer& answer = *std::get<std::unique_ptr<Answer>>(asked);
  std::optional<Recorder::Take> take;
  if (service_.recorder) take.emplace(question, answer.head(), service_.limits, service_.settings.key);
  AnswerStream stream(service_, client_, head_, answer);
  std::optional<Transcript::File> copy;
  if (service_.transcript.wants_answers()) copy.emplace(service_.transcript, record_.id, "answer");
  if (record_.completion) {
    const std::string_view encoding = find_header(answer.head().headers, "content-encoding").value_or("");
    usage_ = std::make_unique<UsageReader>(*facts_of(route_->protocol), encoding, service_.limits);
  }
  body_.clear();
  decoded_.clear();
  record_.status = answer.head().status;
  watch_key_refusals(record_.status);
  record_.seconds_to_first_byte = seconds_since(started_);
  const AnswerStream::End end = stream.pass([&](std::string_view bytes) {
    record_.response_bytes += static_cast<std::int64_t>(bytes.size());
    if (usage_) usage_->feed(bytes);
    if (take) take->add(bytes);
    if (copy) copy->add(bytes);
  });
  if (copy && !copy->fault().empty()) service_.log.ask_to_stop("cannot-log", copy->fault());
  record_.complete =
      end == AnswerStream::End::whole || (end == AnswerStream::End::client_gone && usage_ && usage_->finished());
  if (!record_.complete) record_.why = stream.why();
  if (take) {
    if (end != AnswerStream::End::whole) take->cut();
    service_.recorder->keep(*take);
  }
  settle();
  finish();
  return stream.close(end);
}

// A key that the provider refuses will not get better: the run need not go through the agent's retries.
void RequestHandler::watch_key_refusals(int status) {
  if (status != 401 && status != 403) {
    service_.key_refusals = 0;
    return;
  }
  if (++service_.key_refusals < service_.limits.key_refusals) return;
  service_.log.ask_to_stop("key-refused", "the provider refused the key " +
                                              std::to_string(service_.limits.key_refusals) +
                                              " times in a row (status " + std::to_string(status) + ")");
}

void RequestHandler::settle() {
  if (usage_) record_.usage = usage_->usage();
  if (!record_.completion) return;
  if (record_.status >= 400) return reservation_.give_back();  // the provider made nothing
  const bool known = record_.complete && record_.usage.known();
  std::optional<double>& cost = record_.usage.cost_usd;
  if (!cost && price_ != nullptr && record_.usage.known()) {
    cost = cost_of(record_.usage, facts_of(route_->protocol)->in_holds_cache, *price_);
  }
  // What a cut answer has cost in the end is unknown: at least what it reported, and what was reserved.
  const Spending& held = reservation_.held();
  reservation_.settle({known ? record_.usage.total : std::max(record_.usage.total, held.tokens),
                       known && cost ? *cost : std::max(cost.value_or(0), held.usd)});
}

void RequestHandler::finish() {
  if (finished_) return;
  finished_ = true;
  record_.seconds = seconds_since(started_);
  if (record_.body_digest.empty() && service_.transcript.wants_digest() && body_.size() > 0) {
    record_.body_digest = sha256(body_.view());
  }
  service_.log.add(record_);
}

}  // namespace sanduk

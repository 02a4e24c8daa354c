// The helper's pump, on this host: bytes pass at once, both ways, with the ends in order, however slow either side is.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <future>

#include "base/process.h"
#include "container/box_relay.h"

namespace sanduk::test {
namespace {

using Clock = std::chrono::steady_clock;
using testing::HasSubstr;

class Client {
 public:
  explicit Client(int port) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<in_port_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool send(std::string_view text) const { return send_text(fd_, text); }
  void end() const { shutdown(fd_, SHUT_WR); }
  void reset() const {
    const linger at_once = {1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  std::string receive() const { return receive_some(fd_); }
  std::string receive_all() const {
    std::string all;
    for (std::string more; !(more = receive_some(fd_)).empty();) all += more;
    return all;
  }
  int fd() const { return fd_; }

  bool connected = false;

 private:
  int fd_;
};

class BoxPump : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/sanduk-pump-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  void TearDown() override {
    if (helper_) helper_->signal_group(SIGKILL);
    helper_.reset();
    relay_.reset();
    std::filesystem::remove_all(directory_);
  }

  void start(StandInRelay::Serve serve, int backlog = 128) {
    relay_ = std::make_unique<StandInRelay>(directory_ / "relay.sock", backlog);
    relay_->serve = std::move(serve);
    for (int attempt = 0; attempt < 20 && !listening(); ++attempt) {
      port_ = 20000 +
              static_cast<int>((static_cast<unsigned>(getpid()) * 7 + static_cast<unsigned>(attempt) * 131) % 20000);
      Command command;
      command.argv = {SANDUK_BOX,
                      "--socket",
                      directory_ / "relay.sock",
                      "--port",
                      std::to_string(port_),
                      "--token-variable",
                      "TOKEN",
                      "--",
                      "sh",
                      "-c",
                      "echo started; exec sleep 1000"};
      command.variables["TOKEN"] = "t";
      helper_ = std::make_unique<Child>(Child::start(command));
      char bytes[16];
      started_ = ::read(helper_->output_fd(), bytes, sizeof bytes) > 0;
    }
    ASSERT_TRUE(listening());
  }
  bool listening() const { return started_; }

  std::filesystem::path directory_;
  std::unique_ptr<StandInRelay> relay_;
  std::unique_ptr<Child> helper_;
  int port_ = 0;
  bool started_ = false;
};

constexpr std::string_view head = "POST /x HTTP/1.1\r\n\r\n";

TEST_F(BoxPump, each_piece_passes_before_the_next_is_sent) {
  start([](int fd, const std::string&, std::string rest) {
    for (; !rest.empty(); rest = receive_some(fd)) send_text(fd, "<" + rest + ">");
  });
  const Client client(port_);
  client.send(std::string(head) + "one");
  EXPECT_EQ(client.receive(), "<one>");
  client.send("two");
  EXPECT_EQ(client.receive(), "<two>");
}

TEST_F(BoxPump, an_end_is_handed_on_and_the_answer_still_comes) {
  start([](int fd, const std::string&, std::string body) {
    for (std::string more; !(more = receive_some(fd)).empty();) body += more;
    send_text(fd, "got " + std::to_string(body.size()));
  });
  const Client client(port_);
  client.send(std::string(head) + std::string(3'000'000, 'x'));
  client.end();
  EXPECT_EQ(client.receive_all(), "got 3000000");
}

TEST_F(BoxPump, an_early_refusal_reaches_a_client_that_still_sends) {
  // It closes with most of the request unread, as a relay does that refuses.
  start([](int fd, const std::string&, const std::string&) { send_text(fd, "HTTP/1.1 413 no\r\n\r\nrefused"); });
  for (int round = 0; round < 20; ++round) {
    const Client client(port_);
    client.send(head);
    std::thread sender([&] { client.send(std::string(20'000'000, 'x')); });
    EXPECT_THAT(client.receive_all(), HasSubstr("refused"));
    sender.join();
  }
}

TEST_F(BoxPump, a_client_that_resets_ends_the_relays_side) {
  std::promise<bool> ended;
  start([&](int fd, const std::string&, const std::string&) {
    while (send_text(fd, std::string(65536, 'y'))) {
    }
    ended.set_value(true);
  });
  {
    const Client client(port_);
    client.send(head);
    client.receive();
    client.reset();
  }
  EXPECT_EQ(ended.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST_F(BoxPump, a_slow_reader_slows_its_writer_and_loses_nothing) {
  constexpr std::size_t size = 30'000'000;
  std::atomic<std::size_t> sent = 0;
  start([&](int fd, const std::string&, const std::string&) {
    const std::string block(100'000, 'z');
    while (sent < size && send_text(fd, block)) sent += block.size();
  });
  const Client slow(port_);
  slow.send(head);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(sent, size) << "nothing held the writer back";
  EXPECT_EQ(slow.receive_all().size(), size);
}

TEST_F(BoxPump, a_thousand_streams_at_a_time) {
  start([](int fd, const std::string&, std::string rest) {
    for (; !rest.empty(); rest = receive_some(fd, 60000)) send_text(fd, rest);
  });
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(std::make_unique<Client>(port_));
    ASSERT_TRUE(clients.back()->connected) << i;
    ASSERT_TRUE(clients.back()->send(std::string(head) + std::to_string(i)));
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(clients[static_cast<std::size_t>(i)]->receive(), std::to_string(i));
  for (int i = 999; i >= 0; --i) {
    ASSERT_TRUE(clients[static_cast<std::size_t>(i)]->send("again"));
    ASSERT_EQ(clients[static_cast<std::size_t>(i)]->receive(), "again");
  }
}

TEST_F(BoxPump, a_full_backlog_of_the_relay_is_waited_for) {
  start([](int fd, const std::string&, const std::string& rest) { send_text(fd, rest); }, 1);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(std::make_unique<Client>(port_));
  for (const auto& client : clients) client->send(std::string(head) + "x");
  for (const auto& client : clients) ASSERT_EQ(client->receive_all(), "x");
}

TEST_F(BoxPump, a_relay_that_is_gone_resets_the_client) {
  start(nullptr);
  relay_.reset();
  std::filesystem::remove(directory_ / "relay.sock");
  const Client client(port_);  // sends nothing: a send could be what meets the reset
  char byte;
  EXPECT_EQ(recv(client.fd(), &byte, 1, 0), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

TEST_F(BoxPump, adds_no_delay) {
  start([](int fd, const std::string&, std::string rest) {
    for (; !rest.empty(); rest = receive_some(fd)) send_text(fd, rest);
  });
  const Client client(port_);
  client.send(std::string(head) + "x");
  client.receive();
  const auto begin = Clock::now();
  for (int i = 0; i < 200; ++i) {
    client.send("x");
    client.receive();
  }
  const auto each = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin) / 200;
  RecordProperty("microseconds", static_cast<int>(each.count()));
  EXPECT_LT(each.count(), 10000) << "a delayed acknowledgement costs 40 ms";
}

TEST_F(BoxPump, sleeps_while_nothing_happens) {
  start([](int fd, const std::string&, const std::string&) { receive_some(fd, 60000); });
  // One stream whose client has ended its side, one that is idle.
  const Client ended(port_);
  ended.send(head);
  ended.end();
  const Client idle(port_);
  idle.send(head);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto ticks = [&] {
    std::string stat;
    FILE* file = fopen(("/proc/" + std::to_string(helper_->pid()) + "/stat").c_str(), "r");
    char bytes[1024] = {};
    if (file != nullptr && fread(bytes, 1, sizeof bytes - 1, file) > 0) stat = bytes;
    if (file != nullptr) fclose(file);
    const std::vector<std::string> words = split(stat.substr(stat.rfind(')') + 2), ' ');
    return std::stol(words.at(11)) + std::stol(words.at(12));
  };
  const long before = ticks();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LE(ticks() - before, 2);
}

}  // namespace
}  // namespace sanduk::test

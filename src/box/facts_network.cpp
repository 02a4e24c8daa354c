#include <arpa/inet.h>
#include <dirent.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "box/facts.h"
#include "box/report.h"

namespace sanduk::box {
namespace {

constexpr int reject_flag = 0x200;  // RTF_REJECT: the kernel's own "unreachable" entries

// Calls `visit` with each line, cut into at most `most` words. The text is cut up in place.
template <class Visit>
void each_line(Text& text, int most, Visit visit) {
  char* lines = nullptr;
  char* all = strdup(text.c_str());
  for (char* line = all == nullptr ? nullptr : strtok_r(all, "\n", &lines); line != nullptr;
       line = strtok_r(nullptr, "\n", &lines)) {
    char* words[16] = {};
    int count = 0;
    char* rest = nullptr;
    for (char* word = strtok_r(line, " \t\r", &rest); word != nullptr && count < most && count < 16;
         word = strtok_r(nullptr, " \t\r", &rest)) {
      words[count++] = word;
    }
    visit(words, count);
  }
  free(all);
}

// Tunnel devices of the kernel's own (sit0, tunl0) exist in every network namespace, down: so "up" is told as well.
void add_interfaces(Json& report) {
  report.key("interfaces");
  report.begin('[');
  const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct if_nameindex* names = if_nameindex();
  for (struct if_nameindex* entry = names; entry != nullptr && entry->if_index != 0; ++entry) {
    struct ifreq request {};
    strncpy(request.ifr_name, entry->if_name, IFNAMSIZ - 1);
    const bool known = probe >= 0 && ioctl(probe, SIOCGIFFLAGS, &request) == 0;
    report.begin('{');
    report.field("name", entry->if_name);
    report.flag("up", !known || (request.ifr_flags & IFF_UP) != 0);
    report.end('}');
  }
  if (names != nullptr) if_freenameindex(names);
  if (probe >= 0) close(probe);
  report.end(']');
}

void add_route(Json& report, const char* device, const char* destination, const char* gateway) {
  Text route;
  route.add(device);
  route.add(' ');
  route.add(destination);
  route.add(" via ");
  route.add(gateway);
  report.string(route.c_str());
}

void add_routes(Json& report) {
  report.key("routes");
  report.begin('[');
  Text ipv4;
  read_small_file("/proc/net/route", ipv4, std::size_t{1} << 20);
  each_line(ipv4, 8, [&](char** words, int count) {
    if (count < 4 || equal(words[0], "Iface") || equal(words[0], "lo")) return;
    if ((strtoul(words[3], nullptr, 16) & reject_flag) != 0) return;
    // Addresses stand there as the bytes of a little-endian number.
    char destination[INET_ADDRSTRLEN] = "?";
    char gateway[INET_ADDRSTRLEN] = "?";
    const in_addr to{static_cast<in_addr_t>(strtoul(words[1], nullptr, 16))};
    const in_addr by{static_cast<in_addr_t>(strtoul(words[2], nullptr, 16))};
    inet_ntop(AF_INET, &to, destination, sizeof destination);
    inet_ntop(AF_INET, &by, gateway, sizeof gateway);
    add_route(report, words[0], destination, gateway);
  });
  Text ipv6;
  read_small_file("/proc/net/ipv6_route", ipv6, std::size_t{1} << 20);
  each_line(ipv6, 10, [&](char** words, int count) {
    if (count < 10 || equal(words[9], "lo")) return;
    if ((strtoul(words[8], nullptr, 16) & reject_flag) != 0) return;
    add_route(report, words[9], words[0], words[4]);
  });
  report.end(']');
}

// Asks the routing table alone: connecting a datagram socket sends nothing.
int route_to(int family, const char* address) {
  sockaddr_storage to{};
  socklen_t size = sizeof(sockaddr_in);
  if (family == AF_INET) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(to);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(53);
    inet_pton(AF_INET, address, &v4.sin_addr);
  } else {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(to);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(53);
    inet_pton(AF_INET6, address, &v6.sin6_addr);
    size = sizeof v6;
  }
  const int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const int code = connect(fd, reinterpret_cast<sockaddr*>(&to), size) == 0 ? 0 : errno;
  close(fd);
  return code;
}

// One question to one name server.
struct Question {
  const char* result = "no answer";
  int fd = -1;
  int answers = 0;
  char address[64];
};

// The address of "example.com", which exists for such uses (RFC 2606).
constexpr unsigned char query[] = {0x5a, 0x4d, 1,   0,   0,   1, 0,   0,   0,   0, 0, 0, 7, 'e', 'x',
                                   'a',  'm',  'p', 'l', 'e', 3, 'c', 'o', 'm', 0, 0, 1, 0, 1};

void ask(Question& question) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  v4.sin_port = v6.sin6_port = htons(53);
  char plain[sizeof question.address];
  memcpy(plain, question.address, sizeof plain);
  if (char* scope = strchr(plain, '%')) {
    v6.sin6_scope_id = if_nametoindex(scope + 1);
    *scope = '\0';
  }
  const bool is_v4 = inet_pton(AF_INET, plain, &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, plain, &v6.sin6_addr) != 1) {
    question.result = "not an address";
    return;
  }
  const sockaddr* to = is_v4 ? reinterpret_cast<sockaddr*>(&v4) : reinterpret_cast<sockaddr*>(&v6);
  const socklen_t size = is_v4 ? sizeof v4 : sizeof v6;
  question.fd = socket(to->sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (question.fd >= 0 && connect(question.fd, to, size) == 0 && send(question.fd, query, sizeof query, 0) > 0) return;
  question.result = outcome(errno);
  if (question.fd >= 0) close(question.fd);
  question.fd = -1;
}

void take_answer(Question& question) {
  unsigned char answer[1500];
  const ssize_t got = recv(question.fd, answer, sizeof answer, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got < 0) {
    question.result = outcome(errno);
  } else {
    question.result = "answer";
    question.answers = got >= 12 ? answer[6] * 256 + answer[7] : 0;
  }
  close(question.fd);
  question.fd = -1;
}

long long milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

void wait_for_answers(Question* questions, int count, int most_milliseconds) {
  const long long end = milliseconds() + most_milliseconds;
  for (;;) {
    pollfd waiting[8];
    int open = 0;
    for (int i = 0; i < count; ++i) {
      if (questions[i].fd >= 0) waiting[open++] = {questions[i].fd, POLLIN, 0};
    }
    const long long left = end - milliseconds();
    if (open == 0 || left <= 0 || poll(waiting, static_cast<nfds_t>(open), static_cast<int>(left)) == 0) return;
    for (int i = 0; i < count; ++i) {
      for (int at = 0; at < open; ++at) {
        if (questions[i].fd == waiting[at].fd && waiting[at].revents != 0) {
          take_answer(questions[i]);
          break;
        }
      }
    }
  }
}

void add_nameservers(Json& report) {
  Question questions[8];
  int count = 0;
  Text file;
  read_small_file("/etc/resolv.conf", file);
  each_line(file, 3, [&](char** words, int words_count) {
    if (words_count < 2 || !equal(words[0], "nameserver") || count == 8) return;
    strncpy(questions[count].address, words[1], sizeof questions[count].address - 1);
    questions[count].address[sizeof questions[count].address - 1] = '\0';
    ask(questions[count++]);
  });
  wait_for_answers(questions, count, 300);
  report.key("nameservers");
  report.begin('[');
  for (int i = 0; i < count; ++i) {
    report.begin('{');
    report.field("address", questions[i].address);
    report.field("outcome", questions[i].result);
    report.field("answers", questions[i].answers);
    report.end('}');
    if (questions[i].fd >= 0) close(questions[i].fd);
  }
  report.end(']');
}

// A virtual machine's socket to its hypervisor belongs to no network namespace.
int try_vsock() {
  const int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

// A real connection, not a look at the routing table: a firewall may stand behind the route.
int connect_within(const sockaddr* to, socklen_t size, int most_milliseconds) {
  const int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return errno;
  int code = connect(fd, to, size) == 0 ? 0 : errno;
  if (code == EINPROGRESS) {
    pollfd waiting{fd, POLLOUT, 0};
    socklen_t length = sizeof code;
    if (poll(&waiting, 1, most_milliseconds) != 1) {
      code = ETIMEDOUT;
    } else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length) != 0) {
      code = errno;
    }
  }
  close(fd);
  return code;
}

// Only where the box has a network: the outside, and the host besides its relay.
void add_connections(Json& report, const Arguments& arguments) {
  sockaddr_in relay{};
  if (arguments.socket == nullptr || !relay_address(arguments.socket, relay)) return;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(443);
  inet_pton(AF_INET, "1.1.1.1", &v4.sin_addr);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(443);
  inet_pton(AF_INET6, "2606:4700:4700::1111", &v6.sin6_addr);
  report.key("tcp");
  report.begin('{');
  report.field("ipv4", outcome(connect_within(reinterpret_cast<sockaddr*>(&v4), sizeof v4, 700)));
  report.field("ipv6", outcome(connect_within(reinterpret_cast<sockaddr*>(&v6), sizeof v6, 700)));
  report.end('}');
  report.key("host_ports");
  report.begin('[');
  for (int i = 0; i < arguments.probe_ports_count; ++i) {
    relay.sin_port = htons(static_cast<in_port_t>(arguments.probe_ports[i]));
    report.begin('{');
    report.field("port", arguments.probe_ports[i]);
    report.field("outcome", outcome(connect_within(reinterpret_cast<sockaddr*>(&relay), sizeof relay, 200)));
    report.end('}');
  }
  report.end(']');
}

}  // namespace

void add_network_facts(Json& report, const Arguments& arguments) {
  add_interfaces(report);
  add_routes(report);
  report.key("reach");
  report.begin('{');
  report.field("ipv4", outcome(route_to(AF_INET, "1.1.1.1")));
  report.field("ipv6", outcome(route_to(AF_INET6, "2606:4700:4700::1111")));
  report.end('}');
  add_nameservers(report);
  add_connections(report, arguments);
  report.field("vsock", outcome(try_vsock()));
}

}  // namespace sanduk::box

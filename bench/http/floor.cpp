// What loopback, the kernel and the load generator cost by themselves: a server that answers every
// request (whatever ends with an empty line) with the same bytes and parses nothing.
//   bench_http_floor BODY_BYTES [THREADS]     prints its port, runs until it is ended
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int listen_on(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd, 256) != 0)
    std::exit(2);
  return fd;
}

void serve(int listener, const std::string& answer) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{.events = EPOLLIN, .data = {.fd = listener}};
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  std::array<epoll_event, 64> events;
  std::array<char, 16384> buffer;
  for (;;) {
    const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == listener) {
        const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        const int on = 1;
        ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        epoll_event added{.events = EPOLLIN, .data = {.fd = client}};
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, client, &added);
        continue;
      }
      const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
      if (got <= 0) {
        ::close(fd);
      } else if (std::string_view(buffer.data(), static_cast<std::size_t>(got))
                     .ends_with("\r\n\r\n")) {
        if (::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) ::close(fd);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t body = argc > 1 ? std::stoul(argv[1]) : 8000;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 2;
  const std::string answer =
      fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body, std::string(body, 'x'));
  const int first = listen_on(0);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(first, reinterpret_cast<sockaddr*>(&address), &size);
  fmt::print("{}\n", ntohs(address.sin_port));
  std::fflush(stdout);
  std::vector<std::thread> running;
  for (unsigned i = 1; i < threads; ++i) {
    const int listener = listen_on(ntohs(address.sin_port));
    running.emplace_back([listener, &answer] { serve(listener, answer); });
  }
  serve(first, answer);
}

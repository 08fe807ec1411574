// SPDX-License-Identifier: Apache-2.0
#include "base/sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/assert.h"
#include "base/per_thread.h"
#include "base/shortage.h"
#include "base/text.h"

namespace servosim::net {

namespace {

constexpr int kBacklog = 128;
// The length of the prefix of an IPv4 address that is mapped into IPv6 [bytes].
constexpr std::size_t kMappedPrefix = 12;
constexpr std::uint32_t kLoopbackNet = 127;

sockaddr_in to_sockaddr(const Address& address) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(address.ip);
  in.sin_port = htons(address.port);
  return in;
}

void check(int result, const char* what, const Address& address) {
  if (result < 0) {
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("{} {}", what, to_string(address)));
  }
}

Descriptor open_socket(int type, const Address& address) {
  const int fd = ::socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  check(fd, "opening a socket for", address);
  return Descriptor(fd);
}

using AddressCall = int(int, const sockaddr*, socklen_t);

int with_address(AddressCall call, const Descriptor& socket, const Address& address) {
  const sockaddr_in in = to_sockaddr(address);
  return call(socket.get(), reinterpret_cast<const sockaddr*>(&in), sizeof in);
}

void set_option(const Descriptor& socket, int level, int option, int value) {
  // A connection works without the option, only slower.
  static_cast<void>(::setsockopt(socket.get(), level, option, &value, sizeof value));
}

}  // namespace

HostAddress::HostAddress(const std::string& host, int flags, int* error) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  addrinfo* found = nullptr;
  *error = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  if (*error != 0) {
    return;
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  if (found->ai_family == AF_INET) {
    const auto& in = *reinterpret_cast<const sockaddr_in*>(found->ai_addr);
    std::memcpy(&ip_.s6_addr[kMappedPrefix], &in.sin_addr, sizeof in.sin_addr);
  } else {
    const auto& in6 = *reinterpret_cast<const sockaddr_in6*>(found->ai_addr);
    ip_ = in6.sin6_addr;
    scope_ = in6.sin6_scope_id;
  }
}

HostAddress::HostAddress(const std::string& host) {
  int error = 0;
  *this = HostAddress(host, 0, &error);
  if (error != 0) {
    throw_if_short(error == EAI_MEMORY ? ENOMEM : 0, "getaddrinfo");
    throw std::runtime_error(
        fmt::format("no address '{}' is known: {}", host, ::gai_strerror(error)));
  }
}

std::optional<HostAddress> HostAddress::of_number(const std::string& text) {
  int error = 0;
  const HostAddress host(text, AI_NUMERICHOST, &error);
  return error == 0 ? std::optional(host) : std::nullopt;
}

bool HostAddress::operator==(const HostAddress& other) const {
  return IN6_ARE_ADDR_EQUAL(&ip_, &other.ip_) && scope_ == other.scope_;
}

bool HostAddress::is_loopback() const {
  return IN6_IS_ADDR_LOOPBACK(&ip_) ||
         (IN6_IS_ADDR_V4MAPPED(&ip_) && ip_.s6_addr[kMappedPrefix] == kLoopbackNet);
}

bool HostAddress::is_any() const {
  constexpr std::array<std::uint8_t, 4> kNone{};
  return IN6_IS_ADDR_UNSPECIFIED(&ip_) ||
         (IN6_IS_ADDR_V4MAPPED(&ip_) &&
          std::memcmp(&ip_.s6_addr[kMappedPrefix], kNone.data(), kNone.size()) == 0);
}

std::string HostAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  if (IN6_IS_ADDR_V4MAPPED(&ip_)) {
    return ::inet_ntop(AF_INET, &ip_.s6_addr[kMappedPrefix], buffer.data(), buffer.size());
  }
  return fmt::format("[{}]", ::inet_ntop(AF_INET6, &ip_, buffer.data(), buffer.size()));
}

std::optional<Address> find_address(std::string_view host, int port) {
  in_addr in{};
  const std::string text(host == "localhost" ? "127.0.0.1" : host);
  if (port < 0 || port > 65535 || ::inet_pton(AF_INET, text.c_str(), &in) != 1) {
    return std::nullopt;
  }
  return Address{ntohl(in.s_addr), static_cast<std::uint16_t>(port)};
}

std::optional<Address> find_address(std::string_view endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  if (colon == endpoint.npos) {
    return std::nullopt;
  }
  const auto port = parse_number<int>(endpoint.substr(colon + 1));
  return port ? find_address(endpoint.substr(0, colon), *port) : std::nullopt;
}

std::optional<Address> own_address() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) {
    return std::nullopt;
  }
  std::optional<Address> own;
  for (const ifaddrs* i = first; i != nullptr && !own; i = i->ifa_next) {
    if (i->ifa_addr != nullptr && i->ifa_addr->sa_family == AF_INET &&
        (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_LOOPBACK) == 0) {
      own = Address{ntohl(reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr.s_addr), 0};
    }
  }
  ::freeifaddrs(first);
  return own;
}

Address dialable(const Address& listening) {
  return {listening.ip == INADDR_ANY ? INADDR_LOOPBACK : listening.ip, listening.port};
}

std::string exposure_warning(std::string_view what, const Address& listening,
                             std::string_view option) {
  if (listening.ip >> 24 == kLoopbackNet) {
    return {};
  }
  return fmt::format(
      "{} are accepted at {} from everyone who reaches that address, without authentication or "
      "encryption. {}",
      what, listening.port == 0 ? ip_text(listening) : to_string(listening),
      option.empty() ? "Only a firewall keeps others out"
                     : fmt::format("{} 127.0.0.1 is for this computer alone", option));
}

std::string ip_text(const Address& address) {
  return fmt::format("{}.{}.{}.{}", address.ip >> 24, address.ip >> 16 & 255, address.ip >> 8 & 255,
                     address.ip & 255);
}

std::string to_string(const Address& address) {
  return fmt::format("{}:{}", ip_text(address), address.port);
}

namespace {

// Returns false and sets errno if the system cannot listen at the address.
bool listen_at(const Descriptor& socket, const sockaddr* local, socklen_t size) {
  set_option(socket, SOL_SOCKET, SO_REUSEADDR,
             1);  // permits the port of a server that has just ended
  return ::bind(socket.get(), local, size) == 0 && ::listen(socket.get(), kBacklog) == 0;
}

}  // namespace

Descriptor listening_socket(const Address& local) {
  Descriptor socket = open_socket(SOCK_STREAM, local);
  const sockaddr_in in = to_sockaddr(local);
  const bool listens = listen_at(socket, reinterpret_cast<const sockaddr*>(&in), sizeof in);
  check(listens ? 0 : -1, "listening at", local);
  return socket;
}

Descriptor listening_socket(const HostAddress& host, std::uint16_t port) {
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  in6.sin6_addr = host.ip_;
  in6.sin6_port = htons(port);
  in6.sin6_scope_id = host.scope_;
  if (IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr)) {
    in_addr ip4{};
    std::memcpy(&ip4, &in6.sin6_addr.s6_addr[kMappedPrefix], sizeof ip4);
    return listening_socket(Address{ntohl(ip4.s_addr), port});
  }
  Descriptor socket(::socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket || !listen_at(socket, reinterpret_cast<const sockaddr*>(&in6), sizeof in6)) {
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("listening at {}:{}", host.text(), port));
  }
  return socket;
}

Descriptor dialling_socket(const Address& remote) {
  Descriptor socket = open_socket(SOCK_STREAM, remote);
  const int result = with_address(::connect, socket, remote);
  check(result < 0 && errno != EINPROGRESS ? -1 : 0, "connecting to", remote);
  return socket;
}

Descriptor udp_socket(const Address& local) {
  Descriptor socket = open_socket(SOCK_DGRAM, local);
  check(with_address(::bind, socket, local), "listening at", local);
  return socket;
}

Descriptor udp_sender(const Address& remote) {
  Descriptor socket = open_socket(SOCK_DGRAM, remote);
  check(with_address(::connect, socket, remote), "sending to", remote);
  return socket;
}

Address local_address(const Descriptor& socket) {
  sockaddr_in in{};
  socklen_t size = sizeof in;
  check(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&in), &size), "getsockname", {});
  return {ntohl(in.sin_addr.s_addr), ntohs(in.sin_port)};
}

void tune_connection(const Descriptor& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_keepalive(socket, std::chrono::seconds(30), std::chrono::seconds(10));
}

void set_keepalive(const Descriptor& socket, std::chrono::seconds idle,
                   std::chrono::seconds interval) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, static_cast<int>(idle.count()));
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, static_cast<int>(interval.count()));
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

namespace {

// The most bytes that one turn of the loop reads from a connection.
constexpr std::size_t kMaxRead = 1u << 16;

std::string error_text(int error) { return std::generic_category().message(error); }
bool would_wait(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

TcpStream::TcpStream(EventLoop& loop, Descriptor socket, Calls calls)
    : socket_(std::move(socket)), calls_(std::move(calls)) {
  tune_connection(socket_);
  watch_ = std::make_unique<DescriptorWatch>(loop, socket_.get(), EPOLLIN,
                                             [this](std::uint32_t events) { on_events(events); });
}

TcpStream::TcpStream(EventLoop& loop, const Address& remote, Calls calls)
    : TcpStream(loop, dialling_socket(remote), std::move(calls)) {
  connecting_ = true;
  update_events();
}

void TcpStream::on_events(std::uint32_t events) {
  try {
    if (connecting_) {
      if (!connect_result()) {
        return;
      }
    } else if ((events & EPOLLOUT) != 0 && unsent() > 0) {
      flush();
      if (is_open() && unsent() == 0 && calls_.drained) {
        calls_.drained();
      }
    }
    if (is_open() && reading_ && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
      read_some();
    } else if (is_open() && (events & (EPOLLHUP | EPOLLERR)) != 0) {
      fail("the other side is gone");
    }
  } catch (const std::exception& error) {
    // The cause may be a lack of memory. Only this connection is closed.
    fail(error.what());
  }
}

// Returns whether the stream is connected.
bool TcpStream::connect_result() {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
    error = errno;
  }
  connecting_ = false;
  if (error != 0) {
    fail(error_text(error));
    return false;
  }
  update_events();
  calls_.connected();
  return true;
}

void TcpStream::read_some() {
  static PerThread<std::array<std::byte, kMaxRead>> buffers;
  std::array<std::byte, kMaxRead>& buffer = buffers.get();
  const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (size > 0) {
    calls_.received(Bytes(buffer).first(static_cast<std::size_t>(size)));
  } else if (size == 0) {
    fail("the other side has closed the connection");
  } else if (!would_wait(errno)) {
    fail(error_text(errno));
  }
}

void TcpStream::send(Bytes bytes) {
  if (!is_open() || finishing_) {
    return;
  }
  if (unsent() + bytes.size() > kMaxUnsent) {
    return fail("the other side does not read");
  }
  unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
  flush();
}

void TcpStream::flush() {
  while (!connecting_ && unsent() > 0) {
    // write() would raise SIGPIPE, but a library leaves signals to its program.
    const ssize_t size = ::send(socket_.get(), unsent_.data() + sent_, unsent(), MSG_NOSIGNAL);
    if (size < 0) {
      if (!would_wait(errno)) {
        return fail(error_text(errno));
      }
      break;
    }
    sent_ += static_cast<std::size_t>(size);
  }
  if (unsent() == 0 || sent_ > kMaxRead) {
    unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent_));
    sent_ = 0;
  }
  if (finishing_ && unsent() == 0) {
    return fail("");
  }
  SERVOSIM_ASSERT(sent_ <= unsent_.size() && unsent() <= kMaxUnsent, "{} of {} bytes sent", sent_,
                  unsent_.size());
  update_events();
}

void TcpStream::set_reading(bool reading) {
  reading_ = reading;
  update_events();
}

void TcpStream::finish() {
  reading_ = false;
  finishing_ = true;
  if (is_open()) {
    flush();
  }
}

void TcpStream::close() {
  watch_.reset();
  socket_.reset();
}

void TcpStream::fail(const std::string& why) {
  if (is_open()) {
    close();
    calls_.closed(why);
  }
}

void TcpStream::update_events() {
  SERVOSIM_ASSERT(is_open() == static_cast<bool>(socket_), "descriptor {}", socket_.get());
  if (is_open()) {
    watch_->set_events((reading_ && !connecting_ ? EPOLLIN : 0u) |
                       (connecting_ || unsent() > 0 ? EPOLLOUT : 0u));
  }
}

namespace {

constexpr int kMaxAccepts = 16;                   // in one turn of the loop
constexpr std::chrono::milliseconds kPause{100};  // the pause after the system has lacked resources

}  // namespace

Listener::Listener(EventLoop& loop, Descriptor listening, Accepted accepted)
    : socket_(std::move(listening)),
      address_(local_address(socket_)),
      accepted_(std::move(accepted)),
      pause_(loop),
      watch_(loop, socket_.get(), EPOLLIN, [this](std::uint32_t) { accept_some(); }) {}

void Listener::accept_some() {
  for (int i = 0; i < kMaxAccepts; ++i) {
    sockaddr_in in{};
    socklen_t size = sizeof in;
    Descriptor socket(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&in), &size,
                                SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // Pending connections wait, since an immediate retry would use all of the processor.
        watch_.set_events(0);
        pause_.start(kPause, [this] { watch_.set_events(EPOLLIN); });
      }
      return;
    }
    try {
      accepted_(std::move(socket), {ntohl(in.sin_addr.s_addr), ntohs(in.sin_port)});
    } catch (const std::exception&) {  // a lack of memory or descriptors: this connection is closed
    }
  }
}

namespace {

constexpr rlim_t kOtherFiles = 64;  // a database and its journal, logs, pipes

void check_limits(int result) {
  if (result != 0) {
    throw std::system_error(errno, std::generic_category(), "getrlimit");
  }
}

}  // namespace

std::size_t max_connections() {
  rlimit files{};
  check_limits(::getrlimit(RLIMIT_NOFILE, &files));
  if (files.rlim_cur < files.rlim_max) {
    const rlimit raised{files.rlim_max, files.rlim_max};
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &raised));  // if it fails, the soft limit stays
    check_limits(::getrlimit(RLIMIT_NOFILE, &files));
  }
  return static_cast<std::size_t>(files.rlim_cur - std::min(files.rlim_cur - 1, kOtherFiles));
}

}  // namespace servosim::net

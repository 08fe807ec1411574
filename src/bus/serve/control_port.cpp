// SPDX-License-Identifier: Apache-2.0
#include "bus/serve/control_port.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/sockets.h"

namespace servosim::bus {

namespace {

// More clients at a time are turned away.
constexpr std::size_t kMostClients = 16;
constexpr std::chrono::seconds kPatience{10};
// Others must not send faults.
constexpr mode_t kOwnerAlone = 0600;

[[noreturn]] void fail_control(const std::string& path) {
  throw std::system_error(errno, std::generic_category(), printable(path));
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw std::runtime_error(fmt::format("{}: the path of a socket has 1 to {} bytes",
                                         printable(path), sizeof address.sun_path - 1));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Descriptor local_socket(const std::string& path) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) {
    fail_control(path);
  }
  return socket;
}

int connect_to(const Descriptor& socket, const sockaddr_un& address) {
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

bool is_socket(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
}

// A program that was killed leaves its socket.
bool is_dead_socket(const std::string& path, const sockaddr_un& address) {
  return is_socket(path) && connect_to(local_socket(path), address) != 0 && errno == ECONNREFUSED;
}

Descriptor listen_at(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Descriptor socket = local_socket(path);
  if (::fchmod(socket.get(), kOwnerAlone) != 0) {  // which its file gets
    fail_control(path);
  }
  const auto bind = [&] {
    return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  };
  int result = bind();
  if (result != 0 && errno == EADDRINUSE) {
    if (!is_dead_socket(path, address)) {
      throw std::runtime_error(
          fmt::format("{}: it exists already, and is not replaced; please choose another path for "
                      "the control socket, or remove it",
                      printable(path)));
    }
    ::unlink(path.c_str());
    result = bind();
  }
  if (result != 0 || ::listen(socket.get(), static_cast<int>(kMostClients)) != 0) {
    fail_control(path);
  }
  return socket;
}

class UnixControlPort final : public ControlPort {
 public:
  UnixControlPort(net::EventLoop& loop, const std::string& path, Answer answer)
      : loop_(loop),
        path_(path),
        answer_(std::move(answer)),
        listener_(loop, listen_at(path),
                  [this](Descriptor socket, const net::Address&) { accept(std::move(socket)); }) {}
  ~UnixControlPort() override {
    while (!clients_.empty()) {
      drop(*clients_.back());
    }
    if (is_socket(path_)) {
      ::unlink(path_.c_str());
    }
  }

  const std::string& path() const override { return path_; }

 private:
  struct Client {
    std::unique_ptr<net::TcpStream> stream;
    std::string text;  // of the line that has not ended yet
  };

  void accept(Descriptor socket) {
    if (clients_.size() >= kMostClients) {
      return;
    }
    auto client = std::make_shared<Client>();
    Client& made = *client;
    made.stream = std::make_unique<net::TcpStream>(
        loop_, std::move(socket),
        net::TcpStream::Calls{.connected = {},
                              .received = [this, &made](Bytes bytes) { receive(made, bytes); },
                              .closed = [this, &made](const std::string&) { drop(made); }});
    clients_.push_back(std::move(client));
  }

  void receive(Client& client, Bytes bytes) {
    for (const std::byte byte : bytes) {
      const char c = static_cast<char>(byte);
      if (c != '\n') {
        client.text += c;
        if (client.text.size() > kMaxLine) {
          return drop(client);
        }
        continue;
      }
      const std::string answer = answer_(client.text) + '\n';
      client.text.clear();
      client.stream->send({reinterpret_cast<const std::byte*>(answer.data()), answer.size()});
      if (!client.stream->is_open()) {
        return;  // it does not read
      }
    }
  }

  // Its own function may be the caller.
  void drop(Client& client) {
    client.stream->close();
    const auto found =
        std::find_if(clients_.begin(), clients_.end(),
                     [&](const std::shared_ptr<Client>& each) { return each.get() == &client; });
    if (found != clients_.end()) {
      loop_.destroy_later(std::move(*found));
      clients_.erase(found);
    }
  }

  net::EventLoop& loop_;
  std::string path_;
  Answer answer_;
  net::Listener listener_;
  std::vector<std::shared_ptr<Client>> clients_;
};

// Waits until a socket is ready. @throws std::runtime_error
void wait_for(const Descriptor& socket, short events, std::chrono::steady_clock::time_point end,
              const std::string& path) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  pollfd query{socket.get(), events, 0};
  const int count = left.count() > 0 ? ::poll(&query, 1, static_cast<int>(left.count())) : 0;
  if (count == 0) {
    throw std::runtime_error(
        fmt::format("{}: no answer came within {} s", printable(path), kPatience.count()));
  }
  if (count < 0 && errno != EINTR) {
    fail_control(path);
  }
}

}  // namespace

std::unique_ptr<ControlPort> open_control(net::EventLoop& loop, const std::string& path,
                                          ControlPort::Answer answer) {
  return std::make_unique<UnixControlPort>(loop, path, std::move(answer));
}

std::string ask_control(const std::string& path, std::string_view line) {
  const sockaddr_un address = address_of(path);
  const Descriptor socket = local_socket(path);
  if (connect_to(socket, address) != 0) {
    fail_control(path);
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::string rest = std::string(line) + '\n';
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      fail_control(path);
    }
    rest.erase(0, sent > 0 ? static_cast<std::size_t>(sent) : 0);
    if (sent < 0) {
      wait_for(socket, POLLOUT, end, path);
    }
  }
  std::string answer;
  std::array<char, 512> part;
  while (answer.find('\n') == std::string::npos) {
    wait_for(socket, POLLIN, end, path);
    const ssize_t size = ::recv(socket.get(), part.data(), part.size(), 0);
    if (size < 0 && errno != EAGAIN && errno != EINTR) {
      fail_control(path);
    }
    if (size == 0 || answer.size() > ControlPort::kMaxLine) {
      throw std::runtime_error(fmt::format("{}: it answers no lines of faults", printable(path)));
    }
    answer.append(part.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  }
  answer.resize(answer.find('\n'));
  return answer;
}

}  // namespace servosim::bus

// SPDX-License-Identifier: Apache-2.0
#include "controller/back_entry.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

namespace servosim {

namespace {

constexpr int kBacklog = 4;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Nobody else can guess it, and so be in the way.
std::string new_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) {
    fail("getrandom");
  }
  return std::to_string(number);
}

struct Address {
  sockaddr_un name{};
  socklen_t size = 0;
};

// Nothing for a name that is too long. The first byte is 0: no file.
std::optional<Address> address_of(const std::string& name) {
  const std::string text = "servosim-" + name;
  Address address;
  address.name.sun_family = AF_UNIX;
  if (text.size() + 1 > sizeof address.name.sun_path) {
    return std::nullopt;
  }
  std::memcpy(address.name.sun_path + 1, text.data(), text.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return address;
}

bool is_ours(const Descriptor& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace

BackEntry::BackEntry()
    : name_(new_name()), socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  const std::optional<Address> address = address_of(name_);
  if (!socket_ ||
      ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address->name), address->size) !=
          0 ||
      ::listen(socket_.get(), kBacklog) != 0) {
    fail("a socket for the controller");
  }
}

Descriptor BackEntry::accept() const {
  Descriptor caller(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return caller && is_ours(caller) ? std::move(caller) : Descriptor();
}

Descriptor dial_back_entry(const std::string& name) {
  const std::optional<Address> address = address_of(name);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool connected = address &&
                         ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address->name),
                                   address->size) == 0 &&
                         is_ours(socket);
  return connected ? std::move(socket) : Descriptor();
}

std::string inode_of(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) ? std::to_string(info.st_ino) : "";
}

}  // namespace servosim

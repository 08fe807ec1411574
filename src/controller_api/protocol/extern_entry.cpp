// SPDX-License-Identifier: Apache-2.0
#include "controller_api/protocol/extern_entry.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/private_folder.h"
#include "base/text.h"

namespace servosim {

namespace {

constexpr std::string_view kGreeting = "servosim extern 1\n";

int port_of(std::string_view text) {
  const auto port = parse_number<int>(text);
  if (!port || *port < 1 || *port > 65535) {
    throw std::invalid_argument("'" + std::string(text) + "' is no port (1 to 65535)");
  }
  return *port;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = -1;
    if (text[i] == '%' && i + 3 <= text.size()) {
      const char* const end = text.data() + i + 3;
      const auto result = std::from_chars(end - 2, end, code, 16);
      code = result.ptr == end && text[i + 1] != '-' ? code : -1;
    }
    decoded.push_back(code < 0 ? text[i] : static_cast<char>(code));
    i += code < 0 ? 0 : 2;
  }
  return decoded;
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

ControllerUrl parse_controller_url(std::string_view text) {
  ControllerUrl url;
  const std::size_t mark = text.find("://");
  if (mark == text.npos) {
    url.robot = percent_decoded(text);
    return url;
  }
  const std::string_view protocol = text.substr(0, mark);
  std::string_view rest = text.substr(mark + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  if (slash < rest.size()) {
    url.robot = percent_decoded(rest.substr(slash + 1));
  }
  rest = rest.substr(0, slash);
  if (protocol == "ipc") {
    url.kind = ControllerUrl::Kind::Local;
    url.port = rest.empty() ? kDefaultExternPort : port_of(rest);
  } else if (protocol == "tcp") {
    url.kind = ControllerUrl::Kind::Tcp;
    const std::size_t colon = rest.rfind(':');
    if (colon == rest.npos || colon == 0) {
      throw std::invalid_argument("tcp needs tcp://HOST:PORT/ROBOT");
    }
    url.host = rest.substr(0, colon);
    url.port = port_of(rest.substr(colon + 1));
  } else {
    throw std::invalid_argument("there is no protocol '" + std::string(protocol) +
                                "'; use ipc or tcp");
  }
  return url;
}

std::string percent_encoded(std::string_view text) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (std::isalnum(code) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      encoded.push_back(c);
    } else {
      encoded += {'%', kDigits[code >> 4], kDigits[code & 15]};
    }
  }
  return encoded;
}

std::string instances_folder() {
  return temporary_files_folder() + "/servosim-" + std::to_string(::geteuid());
}

std::string extern_socket_path(const Descriptor& folder) {
  return "/proc/self/fd/" + std::to_string(folder.get()) + "/extern";
}

std::vector<std::byte> entry_request(std::string_view robot) {
  return bytes_of(std::string(kGreeting) + std::string(robot));
}

std::optional<std::string> robot_of_entry_request(std::span<const std::byte> message) {
  const std::string_view text = text_of(message);
  if (text.size() > kMaxEntryMessage || text.substr(0, kGreeting.size()) != kGreeting) {
    return std::nullopt;
  }
  return std::string(text.substr(kGreeting.size()));
}

std::vector<std::byte> encode_entry_answer(const EntryAnswer& answer) {
  return bytes_of(static_cast<char>(answer.kind) + answer.text);
}

std::optional<EntryAnswer> decode_entry_answer(std::span<const std::byte> message) {
  if (message.empty() || message[0] > std::byte{2}) {
    return std::nullopt;
  }
  return EntryAnswer{static_cast<EntryAnswer::Kind>(message[0]),
                     std::string(text_of(message.subspan(1)))};
}

namespace {

constexpr int kBacklog = 4;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// A name that other users cannot guess, so that they cannot occupy it.
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

// Nothing if the name is too long. The first byte is 0, which means that it names no file.
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

FallbackSocket::FallbackSocket()
    : name_(new_name()), socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  const std::optional<Address> address = address_of(name_);
  if (!socket_ ||
      ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address->name), address->size) !=
          0 ||
      ::listen(socket_.get(), kBacklog) != 0) {
    fail("a socket for the controller");
  }
}

Descriptor FallbackSocket::accept() const {
  Descriptor caller(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return caller && is_ours(caller) ? std::move(caller) : Descriptor();
}

Descriptor connect_fallback_socket(const std::string& name) {
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

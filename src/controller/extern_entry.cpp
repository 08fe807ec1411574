// SPDX-License-Identifier: Apache-2.0
#include "controller/extern_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <stdexcept>

namespace servosim {

namespace {

constexpr std::string_view kGreeting = "servosim extern 1\n";

int port_of(std::string_view text) {
  int port = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stop != end || port < 1 || port > 65535) {
    throw std::invalid_argument("'" + std::string(text) + "' is no port (1 to 65535)");
  }
  return port;
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
  const char* const set = std::getenv("TMPDIR");
  const std::string parent = set != nullptr && *set != '\0' ? set : "/tmp";
  return parent + "/servosim-" + std::to_string(::geteuid());
}

Descriptor open_private_folder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  const bool ours = folder && ::fstat(folder.get(), &info) == 0 && info.st_uid == ::geteuid() &&
                    (info.st_mode & 077) == 0;
  return ours ? std::move(folder) : Descriptor();
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

}  // namespace servosim

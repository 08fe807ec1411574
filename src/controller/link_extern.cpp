// SPDX-License-Identifier: Apache-2.0
#include "controller/link_extern.h"

#include <dirent.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controller/extern_entry.h"
#include "core/printable.h"

namespace servosim {

namespace {

constexpr int kAttempts = 50;  // one each second
constexpr int kAttemptsBetweenNotices = 5;
constexpr int kAnswerTimeoutMs = 10000;
constexpr int kDialTimeout = 5;  // [s]

Descriptor dial_local(const std::string& port) {
  const Descriptor folder = open_private_folder(instances_folder() + "/" + port);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = extern_socket_path(folder);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const bool connected =
      folder && ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  return connected ? std::move(socket) : Descriptor();
}

// The running simulations' ports, that of the latest first.
std::vector<std::string> local_ports() {
  std::vector<std::pair<timespec, std::string>> found;
  if (DIR* const folder = ::opendir(instances_folder().c_str())) {
    while (const dirent* const entry = ::readdir(folder)) {
      struct stat info {};
      const std::string socket = instances_folder() + "/" + entry->d_name + "/extern";
      if (::lstat(socket.c_str(), &info) == 0) {
        found.emplace_back(info.st_mtim, entry->d_name);
      }
    }
    ::closedir(folder);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.tv_sec, a.first.tv_nsec) > std::pair(b.first.tv_sec, b.first.tv_nsec);
  });
  std::vector<std::string> ports;
  for (auto& [time, port] : found) {
    ports.push_back(std::move(port));
  }
  return ports;
}

Descriptor dial_newest() {
  for (const std::string& port : local_ports()) {
    if (Descriptor socket = dial_local(port)) {
      return socket;  // others were left behind by simulations that were killed
    }
  }
  return Descriptor();
}

// Without it the link works too, only later or slower.
void prefer(const Descriptor& socket, int level, int option, const auto& value) {
  static_cast<void>(::setsockopt(socket.get(), level, option, &value, sizeof value));
}

Descriptor dial_address(const addrinfo& address) {
  Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit{kDialTimeout, 0};
  prefer(socket, SOL_SOCKET, SO_SNDTIMEO, limit);
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    return Descriptor();
  }
  prefer(socket, SOL_SOCKET, SO_SNDTIMEO, timeval{});
  prefer(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  prefer(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  return socket;
}

Descriptor dial_tcp(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) {
    return Descriptor();
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (Descriptor socket = dial_address(*entry)) {
      return socket;
    }
  }
  return Descriptor();
}

Descriptor dial(const ControllerUrl& url) {
  switch (url.kind) {
    case ControllerUrl::Kind::Local:
      return dial_local(std::to_string(url.port));
    case ControllerUrl::Kind::Tcp:
      return dial_tcp(url.host, url.port);
    case ControllerUrl::Kind::Newest:
      break;
  }
  return dial_newest();
}

std::string place_of(const ControllerUrl& url) {
  const std::string port = std::to_string(url.port);
  switch (url.kind) {
    case ControllerUrl::Kind::Local:
      return " at port " + port + " of this machine";
    case ControllerUrl::Kind::Tcp:
      return " at " + url.host + ":" + port;
    case ControllerUrl::Kind::Newest:
      break;
  }
  return " on this machine";
}

// What the simulation says to who asks for a robot.
EntryAnswer ask(Stream& stream, const std::string& robot) {
  if (stream.send(entry_request(robot), kAnswerTimeoutMs) &&
      stream.receive(kAnswerTimeoutMs) == Stream::Status::Message) {
    if (auto answer = decode_entry_answer(stream.message())) {
      return *answer;
    }
  }
  return {EntryAnswer::Kind::Later, "what is there is no simulation of servosim"};
}

void sleep_one_second() {
  timespec left{1, 0};
  while (::nanosleep(&left, &left) != 0) {
  }
}

std::unique_ptr<Link> open_link_to(const ControllerUrl& url, int attempts) {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    EntryAnswer answer{EntryAnswer::Kind::Later,
                       "there is no simulation with extern controllers" + place_of(url)};
    if (Descriptor socket = dial(url)) {
      Stream stream(socket.release());
      answer = ask(stream, url.robot);
      if (answer.kind == EntryAnswer::Kind::Welcome) {
        return open_socket_link(std::move(stream));
      }
    }
    if (answer.kind == EntryAnswer::Kind::Never) {
      print_to_stderr("Error", answer.text);
      return nullptr;
    }
    if (attempt % kAttemptsBetweenNotices == 0) {
      print_to_stderr("Warning", answer.text + "; trying again.");
    }
    sleep_one_second();
  }
  std::fputs("Error: this controller has found no simulation, and gives up.\n", stderr);
  return nullptr;
}

}  // namespace

bool simulation_waits() { return static_cast<bool>(dial_newest()); }

std::unique_ptr<Link> open_extern_link(const char* url_text, const char* robot) {
  try {
    ControllerUrl url = parse_controller_url(url_text);
    if (url.robot.empty() && robot != nullptr) {
      url.robot = robot;
    }
    return open_link_to(url, kAttempts);
  } catch (const std::exception& error) {
    print_to_stderr("Error",
                    std::string("WEBOTS_CONTROLLER_URL=") + url_text + ": " + error.what());
    return nullptr;
  }
}

}  // namespace servosim

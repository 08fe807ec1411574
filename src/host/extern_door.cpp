// SPDX-License-Identifier: Apache-2.0
#include "host/extern_door.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "net/address.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

constexpr int kMaxPort = 65535;
constexpr int kPortsToTry = 1000;
constexpr std::size_t kMaxCallers = 64;  // who have not yet said whom they want
constexpr auto kMaxSilence = 1s;         // of them, until the first byte
constexpr auto kMaxRequestTime = 5s;     // until the whole request
constexpr int kMaxComplaints = 10;

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string names_of(const std::vector<ExternRobot>& robots) {
  std::vector<std::string> names;
  for (const ExternRobot& robot : robots) {
    names.push_back(fmt::format("'{}'", robot.name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The index of the robot asked for, or why it is not to be had.
std::pair<std::size_t, EntryAnswer> judge(const std::string& asked,
                                          const std::vector<ExternRobot>& robots) {
  std::size_t i = 0;
  if (!asked.empty()) {
    while (i < robots.size() && robots[i].name != asked) {
      ++i;
    }
  } else if (robots.size() > 1) {
    return {
        0,
        {EntryAnswer::Kind::Never, "this simulation has several extern robots; name one of " +
                                       names_of(robots) + ", as in WEBOTS_CONTROLLER_URL=ROBOT"}};
  }
  if (i == robots.size()) {
    return {
        0,
        {EntryAnswer::Kind::Never, fmt::format("no robot '{}' waits for a controller; there is {}",
                                               asked, names_of(robots))}};
  }
  if (robots[i].taken) {
    return {i,
            {EntryAnswer::Kind::Later,
             fmt::format("robot '{}' has a controller already", robots[i].name)}};
  }
  return {i, {EntryAnswer::Kind::Welcome, {}}};
}

}  // namespace

ExternDoor::ExternDoor(const ExternOptions& options, Console& console) : console_(console) {
  claim(options);
  if (tcp_) {
    console_.warn(
        net::exposure_warning("extern controllers", net::local_address(tcp_), "--extern-tcp"));
  }
}

// False where a port to be chosen by us is in use.
bool ExternDoor::listen_at(const ExternOptions& options, int port) {
  const auto address = net::find_address(options.tcp_address, port);
  if (!address) {
    throw std::runtime_error(
        fmt::format("'{}' is no address of IPv4, such as 127.0.0.1", options.tcp_address));
  }
  try {
    tcp_ = net::listening_socket(*address);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::address_in_use || options.port) {
      throw;
    }
    return false;
  }
  tcp_address_ = net::to_string(*address);
  return true;
}

// A port for which both the folder and, if asked for, the TCP port can be had.
void ExternDoor::claim(const ExternOptions& options) {
  const int first = options.port.value_or(kDefaultExternPort);
  const int last = options.port ? first : std::min(first + kPortsToTry, kMaxPort);
  for (int port = first; port <= last; ++port) {
    std::optional<InstanceFolder> folder = InstanceFolder::claim(port);
    if (folder && (options.tcp_address.empty() || listen_at(options, port))) {
      folder_.emplace(std::move(*folder));
      return;
    }
  }
  throw std::runtime_error(
      fmt::format("port {}{} is in use by another simulation; choose another with --port", first,
                  last == first ? std::string() : fmt::format(" to {}", last)));
}

std::vector<std::string> ExternDoor::urls(const std::string& robot) const {
  const std::string name = percent_encoded(robot);
  std::vector<std::string> urls{fmt::format("ipc://{}/{}", folder_->port(), name)};
  if (tcp_) {
    urls.push_back(fmt::format("tcp://{}/{}", tcp_address_, name));
  }
  return urls;
}

std::string ExternDoor::command(const std::string& robot) const {
  const int port = folder_->port();
  const std::string choice = port == kDefaultExternPort ? "" : fmt::format(" --port {}", port);
  const bool plain = !robot.empty() && percent_encoded(robot) == robot;
  return fmt::format("servosim controller{} --robot-name {} FILE", choice,
                     plain ? robot : shell_quoted(robot));
}

// At most half of the room at a time, so that requests are read before their callers are closed.
void ExternDoor::accept_some(const Descriptor& listener, bool remote, Clock::time_point now) {
  for (std::size_t accepted = 0; listener && accepted < kMaxCallers / 2;) {
    Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket && (errno == EINTR || errno == ECONNABORTED)) {
      continue;
    }
    if (!socket && (errno == EMFILE || errno == ENFILE) && make_room()) {
      continue;
    }
    if (!socket) {
      return;
    }
    ++accepted;
    if (callers_.size() >= kMaxCallers) {
      make_room();
    }
    if (remote) {
      net::tune_connection(socket);
    }
    callers_.push_back({Stream(socket.release()), remote, now});
  }
}

// A controller sends its request at once, so the oldest connection without one is closed.
bool ExternDoor::make_room() {
  if (callers_.empty()) {
    return false;
  }
  const auto silent = std::find_if(callers_.begin(), callers_.end(),
                                   [](const Caller& caller) { return !caller.has_spoken; });
  callers_.erase(silent == callers_.end() ? callers_.begin() : silent);
  complain("many connect as extern controllers and say nothing; the first of them is turned away");
  return true;
}

// Whether the message that is coming is too long to be a request, as far as that is known.
bool ExternDoor::is_too_long(Caller& caller) {
  std::uint32_t length = 0;
  const ssize_t got = ::recv(caller.stream.fd(), &length, sizeof length, MSG_PEEK | MSG_DONTWAIT);
  const bool first = !caller.has_spoken;
  caller.has_spoken = caller.has_spoken || got > 0;
  return first && got == sizeof length && length > kMaxEntryMessage;
}

// What a caller asks for, once it is there; `over` when there is nothing more to wait for.
std::optional<std::string> ExternDoor::robot_asked_for(Caller& caller, Clock::time_point now,
                                                       bool& over) {
  over = true;
  const Stream::Status status =
      is_too_long(caller) ? Stream::Status::Garbage : caller.stream.try_receive();
  if (status == Stream::Status::Message) {
    if (auto robot = robot_of_entry_request(caller.stream.message())) {
      return robot;
    }
  }
  const auto patience = caller.has_spoken ? Clock::duration(kMaxRequestTime) : kMaxSilence;
  if (status == Stream::Status::Nothing && now - caller.since < patience) {
    over = false;
  } else if (status == Stream::Status::Nothing) {
    complain(caller.has_spoken
                 ? "somebody connected as an extern controller, and did not say for which robot"
                 : "somebody connected as an extern controller, and said nothing");
  } else if (status != Stream::Status::Closed) {
    complain("somebody connected as an extern controller, and sent garbage");
  }
  return std::nullopt;
}

std::vector<ExternDoor::Guest> ExternDoor::serve(std::vector<ExternRobot>& robots,
                                                 Clock::time_point now) {
  std::vector<Guest> guests;
  answer_callers(robots, now, guests);  // before they make room for others
  accept_some(folder_->socket(), false, now);
  accept_some(tcp_, true, now);
  answer_callers(robots, now, guests);
  return guests;
}

void ExternDoor::answer_callers(std::vector<ExternRobot>& robots, Clock::time_point now,
                                std::vector<Guest>& guests) {
  for (std::size_t i = 0; i < callers_.size();) {
    Caller& caller = callers_[i];
    bool over = false;
    if (const auto asked = robot_asked_for(caller, now, over)) {
      const auto [robot, answer] = judge(*asked, robots);
      const bool told = caller.stream.send(encode_entry_answer(answer), 0);
      if (told && answer.kind == EntryAnswer::Kind::Welcome) {
        robots[robot].taken = true;
        guests.push_back({robot, std::move(caller.stream), caller.remote});
      }
    }
    if (over) {
      callers_.erase(callers_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

void ExternDoor::add_queries(std::vector<pollfd>& queries) const {
  queries.push_back({folder_->socket().get(), POLLIN, 0});
  queries.push_back({tcp_.get(), POLLIN, 0});  // poll() leaves out what is -1
  for (const Caller& caller : callers_) {
    queries.push_back({caller.stream.fd(), POLLIN, 0});
  }
}

// Whoever comes often does not fill the screen.
void ExternDoor::complain(const std::string& what) {
  if (++complaints_ <= kMaxComplaints) {
    console_.log(LogLevel::Warning,
                 what + (complaints_ == kMaxComplaints ? "; nothing more is said of such" : ""));
  }
}

}  // namespace servosim

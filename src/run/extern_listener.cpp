// SPDX-License-Identifier: Apache-2.0
#include "run/extern_listener.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/assert.h"
#include "base/sockets.h"
#include "controller_api/protocol/protocol.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

constexpr int kMaxPort = 65535;
constexpr int kPortsToTry = 1000;
constexpr int kPortsOfWebots = 10;    // further ones after the first
constexpr auto kMaxSilence = 1s;      // the limit for a client before its first byte
constexpr auto kMaxRequestTime = 5s;  // the limit until the request is complete
constexpr int kMaxWarnings = 10;

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

// Returns the index of the requested robot, or why it is not available.
std::pair<std::size_t, EntryAnswer> answer_for(const std::string& asked,
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

ExternListener::ExternListener(const ExternOptions& options, Console& console) : console_(console) {
  claim(options);
  if (tcp_) {
    console_.warn(net::exposure_warning("extern controllers", net::local_address(tcp_),
                                        options.as_webots ? "" : "--extern-tcp"));
  }
}

// Returns false if the port is in use and another one may be chosen.
bool ExternListener::listen_at(const ExternOptions& options, int port) {
  const auto address = net::find_address(options.tcp_address, port);
  if (!address) {
    throw std::runtime_error(
        fmt::format("'{}' is no address of IPv4, such as 127.0.0.1", options.tcp_address));
  }
  try {
    tcp_ = net::listening_socket(*address);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::address_in_use || (options.port && !options.as_webots)) {
      throw;
    }
    return false;
  }
  tcp_address_ = net::to_string(*address);
  return true;
}

// Claims a port for which both the folder and, if requested, the TCP port are free.
void ExternListener::claim(const ExternOptions& options) {
  const int first = options.port.value_or(kDefaultExternPort);
  const int further = options.as_webots ? kPortsOfWebots : options.port ? 0 : kPortsToTry;
  const int last = std::min(first + further, kMaxPort);
  for (int port = first; port <= last; ++port) {
    std::optional<InstanceFolder> folder = InstanceFolder::claim(port);
    if (folder && (options.tcp_address.empty() || listen_at(options, port))) {
      folder_.emplace(std::move(*folder));
      return;
    }
  }
  if (options.as_webots) {  // scripts look for these words
    throw std::runtime_error(
        fmt::format("failed to open TCP server in the port range [{}-{}]: all are in use; choose "
                    "another with --port",
                    first, last));
  }
  throw std::runtime_error(
      fmt::format("port {}{} is in use by another simulation; choose another with --port", first,
                  last == first ? std::string() : fmt::format(" to {}", last)));
}

std::vector<std::string> ExternListener::urls(const std::string& robot) const {
  const std::string name = percent_encoded(robot);
  std::vector<std::string> urls{fmt::format("ipc://{}/{}", folder_->port(), name)};
  if (tcp_) {
    urls.push_back(fmt::format("tcp://{}/{}", tcp_address_, name));
  }
  return urls;
}

std::string ExternListener::command(const std::string& robot) const {
  const int port = folder_->port();
  const std::string choice = port == kDefaultExternPort ? "" : fmt::format(" --port {}", port);
  const bool plain = !robot.empty() && percent_encoded(robot) == robot;
  return fmt::format("servosim controller{} --robot-name {} FILE", choice,
                     plain ? robot : shell_quoted(robot));
}

// Only clients whose request has not arrived yet need room. The loop is bounded, so that the run
// also continues.
void ExternListener::accept_some(const Descriptor& listener, bool remote,
                                 std::vector<ExternRobot>& robots, Clock::time_point now,
                                 std::vector<ExternClient>& clients) {
  for (std::size_t accepted = 0; listener && accepted < kMaxPending / 2;) {
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
    if (remote) {
      net::tune_connection(socket);
    }
    PendingClient client{MessageStream(socket.release()), remote, now};
    client.stream.set_longest_message(kMaxEntryMessage);
    if (answer_request(client, robots, now, clients)) {
      continue;
    }
    if (pending_.size() >= kMaxPending) {
      make_room();
    }
    pending_.push_back(std::move(client));
    SERVOSIM_ASSERT(pending_.size() <= kMaxPending, "{} clients without a request",
                    pending_.size());
  }
}

// Closes the oldest client of the larger of two groups: clients that have sent nothing, and those
// that have sent a part of a request. Thus many clients of one kind do not prevent a new client
// from sending its request.
bool ExternListener::make_room() {
  if (pending_.empty()) {
    return false;
  }
  const auto is_silent = [](const PendingClient& client) { return client.stream.pending() == 0; };
  const auto silent = std::count_if(pending_.begin(), pending_.end(), is_silent);
  const bool more_are_silent = 2 * silent >= std::ssize(pending_);
  pending_.erase(std::find_if(pending_.begin(), pending_.end(), [&](const PendingClient& client) {
    return is_silent(client) == more_are_silent;
  }));
  warn(
      fmt::format("{} connections of extern controllers have sent no request; the oldest is "
                  "closed",
                  pending_.size() + 1));
  return true;
}

// Returns the robot that a client requests once the request is complete. `over` tells that no more
// bytes are expected.
std::optional<std::string> ExternListener::robot_asked_for(PendingClient& client,
                                                           Clock::time_point now, bool& over) {
  over = true;
  const MessageStream::Status status = client.stream.try_receive();
  if (status == MessageStream::Status::Message) {
    if (auto robot = robot_of_entry_request(client.stream.message())) {
      return robot;
    }
  }
  const bool silent = client.stream.pending() == 0;
  const auto time_limit = silent ? kMaxSilence : Clock::duration(kMaxRequestTime);
  if (status == MessageStream::Status::Nothing && now - client.since < time_limit) {
    over = false;
  } else if (status == MessageStream::Status::Nothing) {
    warn(silent ? "a connection of an extern controller is closed: it has sent nothing"
                : "a connection of an extern controller is closed: its request is incomplete");
  } else if (status != MessageStream::Status::Closed) {
    warn("a connection of an extern controller is closed: what it has sent is no request");
  }
  return std::nullopt;
}

std::vector<ExternClient> ExternListener::serve(std::vector<ExternRobot>& robots,
                                                Clock::time_point now) {
  std::vector<ExternClient> clients;
  for (std::size_t i = 0; i < pending_.size();) {
    if (answer_request(pending_[i], robots, now, clients)) {
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  accept_some(folder_->socket(), false, robots, now, clients);
  accept_some(tcp_, true, robots, now, clients);
  return clients;
}

// Returns false while the request of the client has not arrived.
bool ExternListener::answer_request(PendingClient& client, std::vector<ExternRobot>& robots,
                                    Clock::time_point now, std::vector<ExternClient>& clients) {
  bool over = false;
  if (const auto asked = robot_asked_for(client, now, over)) {
    const auto [robot, answer] = answer_for(*asked, robots);
    const bool sent = client.stream.send(encode_entry_answer(answer), 0);
    if (sent && answer.kind == EntryAnswer::Kind::Welcome) {
      SERVOSIM_ASSERT(!robots[robot].taken, "robot '{}' has a controller", robots[robot].name);
      robots[robot].taken = true;
      client.stream.set_longest_message(kMaxMessage);
      clients.push_back({robot, std::move(client.stream), client.remote});
    }
  }
  return over;
}

void ExternListener::add_queries(std::vector<pollfd>& queries) const {
  queries.push_back({folder_->socket().get(), POLLIN, 0});
  queries.push_back({tcp_.get(), POLLIN, 0});  // poll() ignores -1
  for (const PendingClient& client : pending_) {
    queries.push_back({client.stream.fd(), POLLIN, 0});
  }
}

// Warns at most kMaxWarnings times.
void ExternListener::warn(const std::string& what) {
  if (++warnings_ <= kMaxWarnings) {
    console_.log(LogLevel::Warning,
                 what + (warnings_ == kMaxWarnings ? "; no more of these are reported" : ""));
  }
}

}  // namespace servosim

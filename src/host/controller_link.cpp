// SPDX-License-Identifier: Apache-2.0
#include "host/controller_link.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "core/shortage.h"

namespace servosim {
namespace {

// A controller reads its answers at once, unless it is stopped or means harm.
constexpr int kSendTimeoutMs = 2000;

}  // namespace

ControllerLink::Event ControllerLink::receive() {
  switch (stream_.try_receive()) {
    case Stream::Status::Nothing:
      return Event::Nothing;
    case Stream::Status::Closed:
      close();
      return Event::Taken;
    case Stream::Status::Garbage:
      return refuse("a message of impossible length");
    case Stream::Status::Message:
      break;
  }
  switch (session_.receive(stream_.message())) {
    case Session::Outcome::Answered:
    case Session::Outcome::Quit:
      send(session_.reply());
      return Event::Taken;
    case Session::Outcome::Pending:
      return Event::StepAsked;
    case Session::Outcome::Bye:
      close();
      return Event::Taken;
    case Session::Outcome::Garbage:
      break;
  }
  return refuse("garbage (" + session_.error() + ")");
}

void ControllerLink::close() {
  if (std::exchange(open_, false)) {
    ::shutdown(stream_.fd(), SHUT_RDWR);
    session_.settle();
  }
}

bool ControllerLink::hung_up() const {
  std::byte any{};
  const ssize_t got = ::recv(stream_.fd(), &any, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void ControllerLink::after_step() {
  if (session_.after_step() && open_) {
    send(session_.reply());
  }
}

void ControllerLink::end() {
  session_.settle();
  if (const Bytes answer = session_.ending_answer(); open_ && !answer.empty()) {
    send(answer);
  }
}

void ControllerLink::send(Bytes message) {
  const bool sent = stream_.send(message, kSendTimeoutMs);
  if (!sent && (errno == ENOBUFS || errno == ENOMEM)) {
    throw Shortage(errno, "a controller cannot be answered");
  }
  // When it cannot be sent, the other side is gone; its exit status will say more.
  if (!sent) {
    close();
  }
}

ControllerLink::Event ControllerLink::refuse(std::string why) {
  garbage_ = std::move(why);
  close();
  return Event::Garbage;
}

}  // namespace servosim

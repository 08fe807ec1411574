// SPDX-License-Identifier: Apache-2.0
// Client: questions that are answered at once.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "controller/client.h"
#include "core/printable.h"

namespace servosim {
namespace {

// Nothing at the next times. Guarded by the client's mutex.
const char* said_once(const char* text) {
  static bool said = false;
  return std::exchange(said, true) ? "" : text;
}

}  // namespace

// @throws CallError when nothing can be asked now
void Client::prepare_call(Lock& lock) {
  wait_until_idle(lock);
  if (begun_) {
    throw CallError("not between wb_robot_step_begin() and wb_robot_step_end().");
  }
  if (link_ == nullptr) {
    throw CallError("called after wb_robot_cleanup().");
  }
}

// Sends what writer_ holds; empty when the simulation is gone.
Bytes Client::call(Lock& lock) { return link_->send(writer_.bytes()) ? receive(lock) : Bytes{}; }

const Told& Client::ask(Lock& lock, const Ask& ask) {
  if (ended_ && link_ != nullptr) {
    throw CallError(
        said_once("the simulation is over for this robot, as wb_robot_step() said by "
                  "-1: there is nothing more to ask or to change (said once)."));
  }
  if (begun_ && link_ != nullptr && is_change(ask.kind)) {
    deferred_.push_back({ask, std::string(ask.text), std::string(ask.more), function_});
    last_told_ = {};
    return last_told_;
  }
  prepare_call(lock);
  if (robot_.requests != 0) {
    flush(lock);  // a supervisor may look at its own customData
  }
  if (const Told* const known = ask.slot == 0 ? tracked_.find(ask) : nullptr) {
    return *known;
  }
  if (is_change(ask.kind)) {
    tracked_.age();
  }
  encode_ask(writer_, ask);
  Reader readings({});
  const Reply reply = decode_reply(call(lock), readings);
  if (const Told* told = std::get_if<Told>(&reply)) {
    last_told_ = *told;
    return last_told_;
  }
  const Failure* failure = std::get_if<Failure>(&reply);
  throw CallError(failure != nullptr ? std::string(failure->text)
                                     : "the simulator does not answer.");
}

const Told& Client::track(Lock& lock, Ask ask, int period_ms, const TrackedAnswers::User& user) {
  if (!robot_.synchronization) {  // the world goes on between its steps
    return this->ask(lock, ask);
  }
  ask.slot = tracked_.slot_for(ask);
  ask.period_ms = period_ms;
  const Told& told = this->ask(lock, ask);
  if (ask.slot != 0) {
    tracked_.add(ask, ask.slot, user, told);
  }
  return told;
}

void Client::untrack(Lock& lock, const Ask& ask, const TrackedAnswers::User& user) {
  if (const std::uint16_t slot = tracked_.slot_of_only(ask, user); slot != 0) {
    Ask end;
    end.kind = AskKind::Untrack;
    end.index = slot;
    this->ask(lock, end);
  }
  tracked_.remove(ask, user);
}

void print(const Told& told) {
  if (!told.text.empty()) {
    std::fprintf(stderr, "%s\n", printable_lines(told.text).c_str());
  }
}

void print_error(const char* function, const std::exception& error) noexcept {
  if (*error.what() != '\0') {
    print_to_stderr("Error", error.what(), function);
  }
}

// In the names of the functions that were called.
void Client::do_deferred(Lock& lock) {
  for (Deferred& change : std::exchange(deferred_, {})) {
    change.ask.text = change.text;
    change.ask.more = change.more;
    try {
      print(ask(lock, change.ask));
    } catch (const CallError& error) {
      print_error(change.function, error);
    }
  }
}

const std::string& Client::urdf(Lock& lock, const std::string& prefix) {
  prepare_call(lock);
  encode_urdf_request(writer_, prefix);
  const Bytes message = call(lock);
  Reader readings({});
  const Reply reply = decode_reply(message, readings);
  if (const Text* text = std::get_if<Text>(&reply)) {
    robot_.urdf = text->text;
  } else if (const Failure* failure = std::get_if<Failure>(&reply)) {
    throw CallError(std::string(failure->text));
  } else {
    throw CallError("the simulator does not answer.");
  }
  return robot_.urdf;
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
// Client: questions that are answered at once.
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "controller/client.h"

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

const Told& Client::track(Lock& lock, Ask ask, int period_ms, bool is_new) {
  ask.slot = tracked_.slot_for(ask);
  ask.period_ms = period_ms;
  const Told& told = this->ask(lock, ask);
  if (ask.slot != 0) {
    tracked_.add(ask, ask.slot, is_new, told);
  }
  return told;
}

void Client::untrack(Lock& lock, const Ask& ask) {
  if (const std::uint16_t slot = tracked_.remove(ask); slot != 0) {
    Ask end;
    end.kind = AskKind::Untrack;
    end.index = slot;
    this->ask(lock, end);
  }
}

// In the names of the functions that were called.
void Client::do_deferred(Lock& lock) {
  for (Deferred& change : std::exchange(deferred_, {})) {
    change.ask.text = change.text;
    change.ask.more = change.more;
    try {
      if (const std::string_view text = ask(lock, change.ask).text; !text.empty()) {
        std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
      }
    } catch (const CallError& error) {
      if (*error.what() != '\0') {
        std::fprintf(stderr, "Error: %s(): %s\n", change.function, error.what());
      }
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

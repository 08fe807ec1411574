// SPDX-License-Identifier: Apache-2.0
#include "wire/verbs.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace servosim::wire {

Verbs::Verbs() {
  for (const auto add : {add_modes, add_motion, add_efforts, add_controllers, add_encoders,
                         add_amplifiers, add_calibration, wire::add_streamed}) {
    add(*this);
  }
}

Verbs::Key Verbs::key_of(std::string_view words) {
  Key key{};
  for (std::int32_t& code : key) {
    const std::string_view word = words.substr(0, words.find(' '));
    code = yarp::vocab(word);
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  return key;
}

void Verbs::add(std::string_view words, std::string_view method, Call call, Frame frame) {
  const std::size_t index = verbs_.size();
  const bool fresh = (words.empty() || by_words_.emplace(key_of(words), index).second) &&
                     (method.empty() || by_method_.emplace(method, index).second);
  if (!fresh) {
    throw std::logic_error("two verbs are called " + std::string(words.empty() ? method : words));
  }
  verbs_.push_back({std::string(words), std::string(method), std::move(call), frame});
}

void Verbs::add(std::string_view start, const Words& words, std::string_view method,
                const Calls& calls, Frame frame) {
  const auto add_one = [&](std::string_view word, const char* shape, const Call& call) {
    add(word.empty() ? "" : std::string(start) + " " + std::string(word),
        std::string(method) + shape, call, frame);
  };
  add_one(words.one, "OneRPC", calls.one);
  add_one(words.all, "AllRPC", calls.all);
  add_one(words.group, "GroupRPC", calls.group);
}

void Verbs::add_streamed(std::string_view interface, const Words& words, const Calls& calls) {
  const auto add_one = [&](std::string_view word, const Call& call) {
    if (!word.empty()) {
      add_streamed(std::string(interface) + " " + std::string(word), call);
      if (word != "ref" && word != "refs" && word != "refg") {
        add_streamed(std::string(word), call);
      }
    }
  };
  add_one(words.one, streamed_one(calls.one));
  add_one(words.all, calls.all);
  add_one(words.group, calls.group);
}

void Verbs::add_streamed(const std::string& words, const Call& call) {
  streamed_by_words_.emplace(key_of(words), streamed_.size());
  streamed_.push_back({words, "", call, {}});
}

const Verb* Verbs::find(const std::vector<Verb>& verbs, const Index& index,
                        std::span<const yarp::Value> items, std::size_t* taken) {
  Key key{};
  for (std::size_t i = 0; i < std::min(key.size(), items.size()); ++i) {
    const auto code = yarp::as_vocab(items[i]);
    if (!code) {
      return nullptr;
    }
    key[i] = *code;
    if (const auto found = index.find(key); found != index.end()) {
      *taken = i + 1;
      return &verbs[found->second];
    }
  }
  return nullptr;
}

const Verb* Verbs::find(const yarp::Bottle& message, yarp::Generation generation,
                        std::size_t* taken) const {
  if (generation == yarp::Generation::V3) {
    return find(verbs_, by_words_, message.items, taken);
  }
  const std::string* const method =
      message.empty() ? nullptr : yarp::as_string(message.items.front());
  const auto found = method ? by_method_.find(*method) : by_method_.end();
  *taken = 1;
  return found == by_method_.end() ? nullptr : &verbs_[found->second];
}

const Verb* Verbs::find_streamed(const yarp::Bottle& head, std::size_t* taken) const {
  return find(streamed_, streamed_by_words_, head.items, taken);
}

}  // namespace servosim::wire

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
  for (const Method& method : methods()) {
    if (!method.verb.empty() && !by_name_.contains(method.verb)) {
      throw std::logic_error("no verb is called " + std::string(method.verb));
    }
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

void Verbs::add(std::string words, Call call, Frame frame, bool in_v3) {
  const std::size_t index = verbs_.size();
  if (!by_name_.emplace(words, index).second ||
      (in_v3 && !by_words_.emplace(key_of(words), index).second)) {
    throw std::logic_error("two verbs are called " + words);
  }
  verbs_.push_back({std::move(words), std::move(call), frame, in_v3});
}

void Verbs::add(std::string_view start, const Words& words, const Calls& calls, Frame frame,
                bool in_v3) {
  const auto add_one = [&](std::string_view word, const Call& call) {
    if (!word.empty()) {
      add(std::string(start) + " " + std::string(word), call, frame, in_v3);
    }
  };
  add_one(words.one, calls.one);
  add_one(words.all, calls.all);
  add_one(words.group, calls.group);
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
  streamed_.push_back({words, call});
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

const Verb* Verbs::find(const yarp::Bottle& message, std::size_t* taken) const {
  return find(verbs_, by_words_, message.items, taken);
}

const Verb* Verbs::of(const Method& method) const {
  const auto found = by_name_.find(method.verb);
  return found == by_name_.end() ? nullptr : &verbs_[found->second];
}

const Verb* Verbs::find_streamed(const yarp::Bottle& head, std::size_t* taken) const {
  return find(streamed_, streamed_by_words_, head.items, taken);
}

}  // namespace servosim::wire

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "controller_api/protocol/protocol.h"

namespace servosim {

/// Requests of a supervisor whose responses come again with the answers of steps. A response is
/// valid until age(). After that it must arrive again, or be requested.
///
/// Invariant: each tracked request has a slot >= 1 of its own, and a user.
class TrackedAnswers {
 public:
  /// Who uses a response: a reference of the C API, and a second one for a relative pose.
  using User = std::pair<const void*, const void*>;

  /// The response if it is still valid, else null.
  const SupervisorResponse* find(const SupervisorRequest& request) const {
    const Entry* const entry = tracked_.empty() ? nullptr : known(request);
    return entry != nullptr && entry->moment == moment_ ? &entry->response : nullptr;
  }
  /// Makes all responses invalid, since they may have changed.
  void age() { ++moment_; }

  /// The slot of the request, from 1. A request that is not tracked gets a free one, or 0 if none
  /// is free.
  std::uint16_t slot_for(const SupervisorRequest& request) {
    if (const Entry* const entry = known(request)) {
      return entry->slot;
    }
    std::uint32_t slot = 1;
    for (auto used = slots_.begin(); used != slots_.end() && used->first == slot; ++used) {
      ++slot;
    }
    return slot <= 0xffff ? static_cast<std::uint16_t>(slot) : std::uint16_t{0};
  }
  /// Stores the first response for `user`.
  void add(const SupervisorRequest& request, std::uint16_t slot, const User& user,
           const SupervisorResponse& response) {
    std::unique_ptr<Entry>& entry = tracked_[key(request)];
    if (entry == nullptr) {
      entry = std::make_unique<Entry>();
      entry->slot = slot;
      slots_[slot] = entry.get();
    }
    entry->users.insert(user);
    Writer writer;
    encode_supervisor_response_body(writer, response);
    take(slot, as_text(writer.bytes()));
  }
  /// The slot of a request whose only user is `user`; else 0.
  std::uint16_t slot_of_only(const SupervisorRequest& request, const User& user) const {
    const Entry* const entry = known(request);
    return entry != nullptr && entry->users.size() == 1 && entry->users.contains(user)
               ? entry->slot
               : std::uint16_t{0};
  }
  /// Removes `user`, and the request with its last user.
  void remove(const SupervisorRequest& request, const User& user) {
    const auto found = tracked_.find(key(request));
    if (found == tracked_.end()) {
      return;
    }
    Entry& entry = *found->second;
    entry.users.erase(user);
    if (entry.users.empty()) {
      slots_.erase(entry.slot);
      tracked_.erase(found);
    }
  }
  /// Stores a response in the form of encode_supervisor_response_body(). One that is not tracked is
  /// ignored.
  void take(std::uint16_t slot, std::string_view text) {
    const auto found = slots_.find(slot);
    if (found == slots_.end()) {
      return;
    }
    Entry& entry = *found->second;
    entry.text.assign(text);
    Reader reader(as_bytes(std::string_view(entry.text)));
    entry.response = {};
    entry.moment = decode_supervisor_response_body(reader, entry.response) ? moment_ : 0;
  }

 private:
  struct Entry {
    std::uint16_t slot = 0;
    std::set<User> users;
    std::uint64_t moment = 0;
    std::string text;  // `response` points into it
    SupervisorResponse response;
  };
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>(key.first * 0x9e3779b97f4a7c15u ^ key.second);
    }
  };

  static Key key(const SupervisorRequest& request) {
    const auto bits = [](auto number) { return static_cast<std::uint64_t>(number); };
    return {bits(static_cast<std::uint32_t>(request.node)) << 32 |
                static_cast<std::uint32_t>(request.index),
            bits(request.kind) << 32 | bits(request.level) << 24 | bits(request.type) << 16 |
                request.field};
  }
  const Entry* known(const SupervisorRequest& request) const {
    const auto found = tracked_.find(key(request));
    return found != tracked_.end() ? found->second.get() : nullptr;
  }

  std::unordered_map<Key, std::unique_ptr<Entry>, Hash> tracked_;
  std::map<std::uint32_t, Entry*> slots_;
  std::uint64_t moment_ = 1;
};

}  // namespace servosim

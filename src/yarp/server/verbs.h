// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yarp/protocol/streaming.h"
#include "yarp/server/call.h"
#include "yarp/server/methods.h"

namespace servosim::yarp::server {

/// The items around the values of a get in 3.x: [is] echo values.. [tsta] n time [ok].
struct Frame {
  enum class Echo : std::uint8_t {
    /// The second word of the request as it was typed: [axes], or the interface, such as [torq].
    Second,
    Last,   ///< the last word of the request, as a vocab
    Joint,  ///< the joint of the request
    None,
  };
  bool is = true;
  Echo echo = Echo::Second;
  bool stamp = true;
  bool list = false;  ///< whether the values are in a list
};

/// A request that a board accepts. Messages of 3.x begin with its words. The table of the methods
/// of 4.0, methods.cpp, refers to it by its words.
struct Verb {
  std::string words;  ///< such as "set icmd cmod"
  Call call;
  Frame frame{};
  bool in_v3 = true;  ///< false if 3.x has no such words, so that only methods of 4.0 refer to it

  bool gets() const { return words.starts_with("get "); }
};

/// The words for one joint, all joints and a group; empty if there are none.
struct Words {
  std::string_view one;
  std::string_view all;
  std::string_view group;
};

/// The table of all requests that a board accepts, in the order of the interfaces: see verbs.cpp.
///
/// Invariants: no two verbs have the same words; for each method of 4.0 with a verb, the table has
/// that verb.
class Verbs {
 public:
  Verbs();

  /// Returns the verb with which a message of 3.x begins, or null. `taken` is the number of its
  /// words.
  const Verb* find(const Bottle& message, std::size_t* taken) const;
  /// Returns the verb of a method of 4.0, or null if boards here do not support it.
  const Verb* find(const Method& method) const;
  /// Does the same for a streamed command; these have a table of their own.
  const Verb* find_streamed(const Bottle& head, std::size_t* taken) const;
  const std::vector<Verb>& all() const { return verbs_; }
  const std::vector<Verb>& streamed() const { return streamed_; }

  // ---- for the functions below, which add the verbs of their interfaces
  void add(std::string_view words, Call call, Frame frame = {}) {
    add(std::string(words), std::move(call), frame, true);
  }
  /// Adds three verbs: "set" and {"pos", "poss", "posg"} become [set] [pos] and so on.
  void add(std::string_view start, const Words& words, const Calls& calls, Frame frame = {}) {
    add(start, words, calls, frame, true);
  }
  /// Does the same for requests that only 4.0 has.
  void add_v4(std::string_view words, Call call) {
    add(std::string(words), std::move(call), {}, false);
  }
  void add_v4(std::string_view start, const Words& words, const Calls& calls) {
    add(start, words, calls, {}, false);
  }
  /// Adds a streamed command, whose values follow its words. In 4.0 the interface precedes the
  /// words; in 3.x it does so only if they are not unique.
  void add_streamed(std::string_view interface, const Words& words, const Calls& calls);
  void add_streamed(const std::string& words, const Call& call);

 private:
  using Key = std::array<std::int32_t, 3>;
  using Index = std::map<Key, std::size_t>;

  static Key key_of(std::string_view words);
  void add(std::string words, Call call, Frame frame, bool in_v3);
  void add(std::string_view start, const Words& words, const Calls& calls, Frame frame, bool in_v3);
  static const Verb* find(const std::vector<Verb>& verbs, const Index& index,
                          std::span<const BottleValue> items, std::size_t* taken);

  std::vector<Verb> verbs_;
  std::vector<Verb> streamed_;
  Index by_words_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  Index streamed_by_words_;
};

void add_modes(Verbs& verbs);
void add_motion(Verbs& verbs);
void add_efforts(Verbs& verbs);
void add_controllers(Verbs& verbs);
void add_encoders(Verbs& verbs);
void add_amplifiers(Verbs& verbs);
void add_calibration(Verbs& verbs);
void add_streamed(Verbs& verbs);

}  // namespace servosim::yarp::server

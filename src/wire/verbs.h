// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/call.h"
#include "yarp/streaming.h"

namespace servosim::wire {

/// What stands around the values of a get in 3.x: [is] echo values.. [tsta] n time [ok].
struct Frame {
  enum class Echo : std::uint8_t {
    Second,  ///< the second word of the request: [axes], or its interface, [torq]
    Last,    ///< its last word
    Joint,
    None,
  };
  bool is = true;
  Echo echo = Echo::Second;
  bool stamp = true;
  bool list = false;  ///< the values in a list
};

/// Something that can be asked for.
struct Verb {
  std::string words;   ///< in 3.x, such as "set icmd cmod"; "" there not
  std::string method;  ///< in 4.0, such as "setControlModeOneRPC"; "" there not
  Call call;
  Frame frame{};

  bool gets() const { return words.starts_with("get "); }
};

/// Words of 3.x for one joint, all and a group; "" there not.
struct Words {
  std::string_view one;
  std::string_view all;
  std::string_view group;
};

/// Everything that can be asked for. The interfaces are in verbs_*.cpp, one file for those alike.
class Verbs {
 public:
  Verbs();

  /// The verb with which a message begins. `taken`: how many items its name has.
  const Verb* find(const yarp::Bottle& message, yarp::Generation generation,
                   std::size_t* taken) const;
  /// Of a streamed command, which has a table of its own.
  const Verb* find_streamed(const yarp::Bottle& head, std::size_t* taken) const;
  const std::vector<Verb>& all() const { return verbs_; }
  const std::vector<Verb>& streamed() const { return streamed_; }

  // ---- for the files of the interfaces
  void add(std::string_view words, std::string_view method, Call call, Frame frame = {});
  /// Three: "set" and {"pos", "poss", "posg"} with "positionMove" are [set] [pos] and
  /// positionMoveOneRPC, and so on.
  void add(std::string_view start, const Words& words, std::string_view method, const Calls& calls,
           Frame frame = {});
  /// Of a streamed command, whose values come after its words. 4.0 names the interface before them,
  /// 3.x only where they say little.
  void add_streamed(std::string_view interface, const Words& words, const Calls& calls);
  void add_streamed(const std::string& words, const Call& call);

 private:
  using Key = std::array<std::int32_t, 3>;
  using Index = std::map<Key, std::size_t>;

  static Key key_of(std::string_view words);
  static const Verb* find(const std::vector<Verb>& verbs, const Index& index,
                          std::span<const yarp::Value> items, std::size_t* taken);

  std::vector<Verb> verbs_;
  std::vector<Verb> streamed_;
  Index by_words_;
  std::map<std::string, std::size_t, std::less<>> by_method_;
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

}  // namespace servosim::wire

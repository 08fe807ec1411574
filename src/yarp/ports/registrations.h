// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <string>

#include "base/event_loop.h"
#include "yarp/ports/name_client.h"

namespace servosim::yarp {

/// Keeps the names of ports registered: asks again, ever more rarely, where the name server is
/// absent or refuses, and looks now and then whether it still knows them, as one that was started
/// anew does not. Belongs to the thread of its loop, and lives as long as that runs.
class Registrations {
 public:
  using Say = std::function<void(const std::string&)>;
  struct Pauses {
    std::chrono::milliseconds first{500};  ///< after the first failure; then twice as long
    std::chrono::milliseconds longest{30'000};
    std::chrono::milliseconds look{10'000};  ///< whether a registered name still is
  };

  Registrations(net::EventLoop& loop, NameClient& names, Say say, Pauses pauses)
      : loop_(loop), names_(names), say_(std::move(say)), pauses_(pauses) {}

  void add(const Contact& contact);
  /// At the end: takes back what is registered or perhaps is. Questions that wait or are under way
  /// are not asked any more, so that these have all the time there is.
  void withdraw();
  /// No answer is waited for.
  bool idle() const { return under_way_ == 0; }

 private:
  struct Entry {
    Entry(net::EventLoop& loop, const Contact& its) : contact(its), timer(loop) {}
    Contact contact;
    net::Timer timer;
    std::chrono::milliseconds pause{};
    bool enrolled = false;  // or, at the end, perhaps
    std::string trouble;    // present, or empty
    bool troubled = false;  // since the ports were last said to be registered
  };

  void enroll(Entry& entry);
  void look(Entry& entry);
  void succeeded(Entry& entry);
  void failed(Entry& entry, const std::string& error);

  net::EventLoop& loop_;
  NameClient& names_;
  Say say_;
  Pauses pauses_;
  std::list<Entry> entries_;
  std::size_t under_way_ = 0;
  bool ending_ = false;
};

}  // namespace servosim::yarp

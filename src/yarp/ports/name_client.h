// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_set>
#include <variant>

#include "base/address.h"
#include "base/event_loop.h"
#include "yarp/protocol/name_lines.h"

namespace servosim::yarp {

/// Where the name server is: `given` ("HOST:PORT"), or if that is empty what yarp.conf says, which
/// is looked for in $YARP_CONFIG_HOME, else in ~/.config/yarp; where yarp_namespace.conf there
/// names another namespace than /root, what the file of that says. Without the file it is at port
/// 10000 of this computer, where they all are if nothing else is said. Or why it is not known.
std::variant<net::Address, std::string> find_name_server(const std::string& given);

/// Whether a name server's answer to QueryName says that the name is that port's.
bool is_at(const NameReply& reply, const Contact& contact);

/// Asks a name server, one question after the other, each on a connection of its own: yarpserver
/// listens with a backlog of 1, so that of several connections at once some take a second. Nothing
/// here waits; what was asked and is not answered when this is destroyed is never answered.
class NameClient {
 public:
  /// `error` is "" or one clause for people.
  using Replied = std::function<void(const NameReply& reply, const std::string& error)>;
  using Found = std::function<void(const Contact& contact, const std::string& error)>;
  using Done = std::function<void(const std::string& error)>;

  NameClient(net::EventLoop& loop, const net::Address& server,
             std::chrono::milliseconds patience = std::chrono::seconds(3));
  ~NameClient();

  const net::Address& server() const { return server_; }
  /// Where the server does not answer in time, all questions that wait are answered with that
  /// error.
  void ask(const NameRequest& request, Replied replied);
  void find(const std::string& name, Found found);
  /// Registers a port with its address, and what it can do. Not if another port that has the name
  /// is alive.
  void enroll(const Contact& contact, Done done);
  /// Takes the name of a port back, if it still is that port's.
  void withdraw(const Contact& contact, Done done);
  /// All that is not answered is, by an error: what the server was asked last may be done all the
  /// same.
  void cancel();

 private:
  struct Question;

  void ask_next();
  void finish(const std::shared_ptr<Question>& question, const std::string& error);
  void give_up(const std::string& error);
  void reply(Question& question, const std::string& error);
  void check_holder(const Contact& holder, const Contact& contact, Done done);
  void enroll_free(const Contact& contact, Done done);
  void tell_abilities(const Contact& contact, const Done& done);

  net::EventLoop& loop_;
  net::Address server_;
  std::chrono::milliseconds patience_;
  std::deque<std::shared_ptr<Question>> questions_;  // the first one is being asked
  std::unordered_set<std::shared_ptr<Question>> probes_;
};

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
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

}  // namespace servosim::yarp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <variant>

#include "base/event_loop.h"
#include "base/sockets.h"
#include "yarp/ports/probe.h"
#include "yarp/protocol/name_lines.h"

namespace servosim::yarp {

/// Returns the address of the name server, or a text that tells why it is not known. The address is
/// `given` ("HOST:PORT") or, if that is empty, the one in yarp.conf, which is in $YARP_CONFIG_HOME,
/// else in ~/.config/yarp. If yarp_namespace.conf in that folder names another namespace than
/// /root, the file of that namespace has the address. Without a file it is port kNameServerPort of
/// this computer.
std::variant<net::Address, std::string> find_name_server(const std::string& given);

/// Returns whether the answer of a name server to QueryName is the address of that port.
bool is_at(const NameReply& reply, const Contact& contact);

/// Sends requests to a name server, one after the other, each on a new connection. yarpserver
/// listens with a backlog of 1, so simultaneous connections may take a second. No function waits.
/// The functions of requests that are pending at destruction are never called.
///
/// Invariant: of the pending requests only the first one has a connection.
class NameClient {
 public:
  /// `error` is empty or a clause for people.
  using Replied = std::function<void(const NameReply& reply, const std::string& error)>;
  using Found = std::function<void(const Contact& contact, const std::string& error)>;
  using Done = std::function<void(const std::string& error)>;

  NameClient(net::EventLoop& loop, const net::Address& server,
             std::chrono::milliseconds timeout = std::chrono::seconds(3));
  ~NameClient();

  const net::Address& server() const { return server_; }
  /// Sends a request. If the server does not answer in time, all pending requests end with that
  /// error.
  void ask(const NameRequest& request, Replied replied);
  void find(const std::string& name, Found found);
  /// Registers a port with its address and its carriers, unless another port of that name accepts
  /// connections.
  void register_port(const Contact& contact, Done done);
  /// Unregisters a port, if its name is still registered at its address.
  void unregister(const Contact& contact, Done done);
  /// Ends all pending requests with an error. The server may still execute the first one.
  void cancel();

 private:
  struct Query;
  struct CheckedHolder {
    std::unique_ptr<Probe> probe;
    Done done;
  };

  void send_next();
  void finish(const std::shared_ptr<Query>& query, const std::string& error);
  void give_up(const std::string& error);
  void reply(Query& query, const std::string& error);
  void check_holder(const Contact& holder, const Contact& contact, Done done);
  void register_free(const Contact& contact, Done done);
  void register_carriers(const Contact& contact, const Done& done);

  net::EventLoop& loop_;
  net::Address server_;
  std::chrono::milliseconds timeout_;
  std::deque<std::shared_ptr<Query>> queries_;  // pending requests; the first one is being sent
  std::list<CheckedHolder> probes_;             // probes of addresses that hold a name
};

/// Keeps ports registered. It repeats a failed registration at growing intervals, and verifies
/// registrations from time to time, since a restarted name server has lost them. Only the thread of
/// its loop may call its functions. It must outlive the run of the loop.
///
/// Invariant: `under_way_` is the number of unanswered requests.
class Registrations {
 public:
  using Report = std::function<void(const std::string&)>;
  struct Intervals {
    /// Wait after the first failure; each further failure doubles it.
    std::chrono::milliseconds first{500};
    std::chrono::milliseconds max{30'000};
    std::chrono::milliseconds verify{10'000};  ///< between two verifications
  };

  Registrations(net::EventLoop& loop, NameClient& names, Report report, Intervals intervals)
      : loop_(loop), names_(names), report_(std::move(report)), intervals_(intervals) {}

  void add(const Contact& contact);
  /// Cancels pending requests and unregisters all ports that are or may be registered. Call it at
  /// the end.
  void unregister_all();
  /// Returns whether no request is pending.
  bool idle() const { return under_way_ == 0; }

 private:
  struct Entry {
    Entry(net::EventLoop& loop, const Contact& its) : contact(its), timer(loop) {}
    Contact contact;
    net::Timer timer;
    std::chrono::milliseconds pause{};
    bool registered = false;  // at the end, also true if a registration is pending
    std::string error;        // error of the last attempt; empty if it succeeded
    // Whether a registration has failed since the last report of success.
    bool failed_before = false;
  };

  void register_port(Entry& entry);
  void verify(Entry& entry);
  void end_request();
  void succeeded(Entry& entry);
  void failed(Entry& entry, const std::string& error);

  net::EventLoop& loop_;
  NameClient& names_;
  Report report_;
  Intervals intervals_;
  std::list<Entry> entries_;
  std::size_t under_way_ = 0;
  bool ending_ = false;
};

}  // namespace servosim::yarp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/event_loop.h"
#include "yarp/ports/input_connection.h"
#include "yarp/ports/name_client.h"
#include "yarp/ports/output_connection.h"

namespace servosim::yarp {

/// Why a YarpClient has failed, for people. The client is unusable afterwards.
struct YarpClientError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// A client of ports and name servers whose functions wait. All throw YarpClientError if they do
/// not succeed in time.
///
/// Invariant: there is either a connection to send on, after connect(), or one to receive on, after
/// reverse().
class YarpClient : private InputConnection::Owner {
 public:
  struct Options {
    std::string name_server;                  ///< see find_name_server()
    std::chrono::milliseconds timeout{5000};  ///< for every answer
    /// Without a value, the generation is 4.0 if the name of the port is /nws/rpc:i or ends in it,
    /// and 3.x otherwise. If `asks_for_name` is set, a port that is given by its address is asked
    /// for its name.
    std::optional<Generation> generation{};
    bool asks_for_name = false;
  };

  explicit YarpClient(Options options) : options_(std::move(options)) {}
  ~YarpClient() override;

  /// Returns the answer of the name server. @throws YarpClientError, also for lines of an unknown
  /// form
  NameReply query_names(const NameRequest& request);
  /// Connects to a port by its name, or by its address HOST:PORT. If the name is not registered,
  /// tries it also with each of the endings.
  void connect(const std::string& port, Carrier carrier, const std::string& own_name,
               const std::vector<std::string>& endings = {});
  /// Sends a message and returns the reply, if the message requests one.
  std::optional<Bottle> send(const MessageHead& head, const Bottle& body);
  /// Reverses the connection, so that the port sends from now on. It works only by fast_tcp and
  /// text, since with the other carriers an acknowledgement could arrive together with a message.
  void reverse();
  /// Waits for the next message of the port; without a timeout it waits indefinitely.
  Bottle next_message(std::optional<std::chrono::milliseconds> timeout);

 private:
  net::Address find(const std::string& port, const std::vector<std::string>& endings);
  Contact find_name(const std::string& name, const std::vector<std::string>& endings);
  void open(const net::Address& address, Carrier carrier, const std::string& own_name);
  std::string name_of_port(const net::Address& address, const std::string& own_name);
  void wait(std::optional<std::chrono::milliseconds> timeout, const std::string& what,
            const std::function<bool()>& done);
  NameClient& names();

  void link_opened(InputConnection&) override {}
  void link_request(InputConnection& link, PortRequest request, Respond respond) override;
  void link_reversed(InputConnection& link) override;
  std::string link_disconnects(InputConnection&, std::string_view) override { return {}; }
  std::string link_description() const override { return {}; }
  void link_problem(InputConnection&, const std::string& what) override { lost_ = what; }
  void link_closed(InputConnection&, const std::string& why) override { lost_ = why; }

  Options options_;
  net::EventLoop loop_;
  std::unique_ptr<NameClient> names_;
  std::string port_;
  Generation generation_ = Generation::V3;
  Carrier carrier_ = Carrier::Tcp;
  bool open_ = false;
  bool finished_ = false;
  std::optional<BottleOrError> reply_;
  std::optional<std::string> lost_;
  std::deque<std::pair<Bottle, Respond>> messages_;
  std::unique_ptr<OutputConnection> out_;
  std::shared_ptr<InputConnection> in_;
};

}  // namespace servosim::yarp

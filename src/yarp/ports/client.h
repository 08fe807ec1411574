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

/// Why a YarpClient cannot go on, for people.
struct YarpClientError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// A client that waits, for programs that have nothing else to do. Everything throws
/// YarpClientError if it cannot be done in time.
class YarpClient : private InputConnection::Owner {
 public:
  struct Options {
    std::string name_server;                   ///< see find_name_server()
    std::chrono::milliseconds patience{5000};  ///< with every answer
    Generation generation = Generation::V3;
  };

  explicit YarpClient(Options options) : options_(std::move(options)) {}
  ~YarpClient() override;

  /// What a name server answers; not if it has only lines of no known form.
  NameReply ask_names(const NameRequest& request);
  /// Connects to a port: by its name, or by its address, HOST:PORT. A name that nobody knows is
  /// tried with each of the endings too.
  void connect(const std::string& port, Carrier carrier, const std::string& own_name,
               const std::vector<std::string>& endings = {});
  /// Sends a message; what is replied, if that is wanted.
  std::optional<Bottle> tell(const MessageHead& head, const Bottle& body);
  /// Turns the connection round: from now on the port tells. Only by fast_tcp and text: what the
  /// others acknowledge with could come together with what the port tells.
  void listen();
  /// The next message of the port, waited for without end if there is no patience.
  Bottle hear(std::optional<std::chrono::milliseconds> patience);

 private:
  net::Address find(const std::string& port, const std::vector<std::string>& endings);
  Contact find_name(const std::string& name, const std::vector<std::string>& endings);
  void wait(std::optional<std::chrono::milliseconds> patience, const std::string& what,
            const std::function<bool()>& done);
  NameClient& names();

  void link_opened(InputConnection&) override {}
  void link_request(InputConnection& link, Request request, Respond respond) override;
  void link_reversed(InputConnection& link) override;
  std::string link_disconnects(InputConnection&, std::string_view) override { return {}; }
  std::string link_description() const override { return {}; }
  void link_trouble(InputConnection&, const std::string& what) override { lost_ = what; }
  void link_closed(InputConnection&, const std::string& why) override { lost_ = why; }

  Options options_;
  net::EventLoop loop_;
  std::unique_ptr<NameClient> names_;
  std::string port_;
  Carrier carrier_ = Carrier::Tcp;
  bool open_ = false;
  bool finished_ = false;
  std::optional<BottleOrError> reply_;
  std::optional<std::string> lost_;
  std::deque<std::pair<Bottle, Respond>> heard_;
  std::unique_ptr<OutputConnection> out_;
  std::shared_ptr<InputConnection> in_;
};

}  // namespace servosim::yarp

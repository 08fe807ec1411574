// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/four_joints.h"
#include "yarp/ports/client.h"
#include "yarp/ports/port_support.h"
#include "yarp/server/board_server.h"

namespace servosim::yarp::server {

using yarp::Bottle;
using yarp::Carrier;
using yarp::Generation;

/// The joints of test::Four, or some of them, as /arm, served by their own thread as `servosim run`
/// does. Time passes only while `running`.
class ServedBoard {
 public:
  explicit ServedBoard(Generation generation = Generation::V3, bool run = false,
                       const std::string& name = "/arm", int joints = 4)
      : running(run),
        four_({}, joints),
        timeline_(four_.simulation),
        server_(node_, timeline_, four_.board, options(name, generation)),
        thread_([this] { serve(); }) {}
  ~ServedBoard() { stop(); }

  /// Stops the thread. Afterwards the caller may use the board.
  test::Four& stop() {
    stop_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
    return four_;
  }
  int port(const std::string& name) const { return server_.contact(name).port; }
  std::string address(const std::string& name) const {
    return "127.0.0.1:" + std::to_string(port(name));
  }
  /// Returns the port number of the name server that knows the board.
  int names() const { return node_.name_server()->port; }
  std::vector<std::string> said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }

  std::atomic<bool> running;

 private:
  BoardServer::Options options(const std::string& name, Generation generation) {
    BoardServer::Options options;
    options.name = name;
    options.period = 0.002;
    options.generation = generation;
    options.report = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      said_.push_back(text);
    };
    return options;
  }
  void serve() {
    while (!stop_) {
      node_.queue().serve_until(net::Clock::now() + std::chrono::milliseconds(1));
      if (running) {
        server_.before_step();
        four_.simulation.step();
        server_.after_step();
      }
    }
  }

  std::mutex mutex_;
  std::vector<std::string> said_;
  std::atomic<bool> stop_{false};
  yarp::YarpNode node_{{.name_server = "", .own_name_server = 0}, [](const std::string&) {}};
  test::Four four_;
  Timeline timeline_;
  BoardServer server_;
  std::thread thread_;
};

/// Asks a port, by any carrier that replies. Returns the reply as text, with "*" for a time stamp.
class Asker {
 public:
  Asker(const ServedBoard& board, Carrier carrier, Generation generation = Generation::V3,
        const std::string& port = "rpc:i")
      : client_({.name_server = "", .timeout = yarp::kTestTimeout, .generation = generation}) {
    client_.connect(board.address(port), carrier, "/asker");
  }
  std::string operator()(const std::string& request) {
    const auto reply = client_.send(yarp::asking(), yarp::bottle(request));
    static const std::regex kStamp("\\[tsta\\] \\d+ [^ ]+");
    return reply ? std::regex_replace(to_text(*reply), kStamp, "*") : "no reply";
  }

 private:
  yarp::YarpClient client_;
};

struct Said {
  std::string request;
  std::string reply;
};

/// Sends each request, in order, and compares the replies.
inline void converse(Asker& ask, const std::vector<Said>& script) {
  for (const Said& row : script) {
    EXPECT_EQ(ask(row.request), row.reply) << row.request;
  }
}

}  // namespace servosim::yarp::server

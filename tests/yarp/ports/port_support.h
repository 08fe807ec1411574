// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/event_loop.h"
#include "base/raw_client.h"
#include "yarp/ports/conversation.h"
#include "yarp/ports/name_server.h"
#include "yarp/ports/port.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp {

using net::becomes;
using net::kTestTimeout;
using net::RawClient;

inline std::string ack() { return hex("59 41 00 00 00 00 52 50"); }
inline std::string answer(Carrier carrier, int number, std::string_view sender) {
  Writer writer;
  encode_answer(writer, carrier, number, sender);
  return text_of(writer);
}
inline Bottle bottle(std::string_view text) { return std::get<Bottle>(parse_bottle(text)); }
inline MessageHead asking() { return {PortCommand::Data, true, {}}; }
inline MessageHead telling() { return {PortCommand::Data, false, {}}; }

/// A port in its own thread that stores what it receives and sends it back after "echo".
class EchoPort {
 public:
  explicit EchoPort(PortOptions options = {"/echo"}, int name_server = 0) {
    thread_.call([&] {
      if (name_server > 0) {
        names_ = std::make_unique<NameClient>(
            thread_.loop(), net::Address{INADDR_LOOPBACK, static_cast<std::uint16_t>(name_server)});
      }
      port_ = std::make_unique<Port>(
          thread_.loop(), std::move(options), names_.get(),
          [this](PortRequest request, Respond respond) { hear(std::move(request), respond); },
          [this](const std::string& what) { keep(said_, what); });
    });
  }
  ~EchoPort() { thread_.stop(); }

  int number() const { return port_->contact().port; }
  net::EventLoopThread& thread() { return thread_; }
  Port& port() { return *port_; }
  NameClient* names() { return names_.get(); }
  std::size_t inputs() {
    std::size_t count = 0;
    thread_.call([&] { count = port_->input_count(); });
    return count;
  }
  std::size_t outputs() {
    std::size_t count = 0;
    thread_.call([&] { count = port_->output_count(); });
    return count;
  }
  void publish(const std::string& text, std::int32_t sequence = 1) {
    thread_.call([&] {
      Writer writer;
      encode_bottle(writer, bottle(text), Generation::V3);
      port_->publish(writer.bytes(), {sequence, 0.5});
    });
  }
  std::vector<std::string> heard() { return copy(heard_); }
  std::vector<std::string> said() { return copy(said_); }
  /// While this is set, requests are not answered.
  std::atomic<bool> mute{false};

 private:
  void hear(PortRequest request, const Respond& respond) {
    keep(heard_, request.sender + " " + to_text(request.body));
    if (!mute) {
      request.body.items.insert(request.body.items.begin(), BottleValue(std::string("echo")));
      respond(std::move(request.body));
    }
  }
  void keep(std::vector<std::string>& in, const std::string& what) {
    const std::lock_guard lock(mutex_);
    in.push_back(what);
  }
  std::vector<std::string> copy(const std::vector<std::string>& from) {
    const std::lock_guard lock(mutex_);
    return from;
  }

  std::mutex mutex_;
  std::vector<std::string> heard_;
  std::vector<std::string> said_;
  net::EventLoopThread thread_;
  std::unique_ptr<NameClient> names_;
  std::unique_ptr<Port> port_;
};

}  // namespace servosim::yarp

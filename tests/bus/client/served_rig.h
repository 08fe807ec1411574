// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "bus/serve/bus_port.h"
#include "bus/servo/bus_rig.h"

namespace servosim::bus::test {

/// A folder that ends with its object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string path = testing::TempDir() + "bus_XXXXXX";
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    path_ = path;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// A BusRig behind a pseudo terminal, in a thread of its own. Each exchange lets a millisecond
/// pass.
class ServedRig {
 public:
  explicit ServedRig(const std::string& model, int count = 1, const std::string& servo = "",
                     bool has_echo = false)
      : rig_(model, count, servo), has_echo_(has_echo) {
    thread_.call([this] {
      port_ = open_terminal(thread_.loop(), folder_.file("bus"),
                            {.received = [this](auto bytes) { receive(bytes); }, .flushed = {}});
    });
  }
  ServedRig(const ServedRig&) = delete;
  ServedRig& operator=(const ServedRig&) = delete;
  ~ServedRig() {
    thread_.call([this] { port_.reset(); });
  }

  std::string path() const { return folder_.file("bus"); }
  /// Does something with the servos while no client is served.
  template <class Action>
  void with_rig(Action action) {
    thread_.call([&] { action(rig_); });
  }

 private:
  void receive(std::span<const std::uint8_t> bytes) {
    if (has_echo_) {
      port_->send(Octets(bytes.begin(), bytes.end()));
    }
    std::vector<BusReply> replies;
    const int instructions = rig_.bus.receive(bytes, rig_.now, port_->baud(), replies);
    for (int i = 0; i < instructions; ++i) {
      rig_.step(0.001);
    }
    for (const BusReply& reply : replies) {
      port_->send(reply.bytes);
    }
  }

  ScratchFolder folder_;
  BusRig rig_;
  bool has_echo_;  // as an adapter for one wire
  net::EventLoopThread thread_;
  std::unique_ptr<BusPort> port_;
};

}  // namespace servosim::bus::test

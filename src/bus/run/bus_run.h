// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "bus/run/bus_faults.h"
#include "bus/run/bus_line.h"
#include "bus/run/bus_map.h"
#include "bus/serve/control_port.h"
#include "run/run_extension.h"

namespace servosim::bus {

/// The buses of a run, whose servos are motors of its world. They work in the thread of the
/// simulation, between its steps.
class BusRunExtension final : public RunExtension {
 public:
  using Report = std::function<void(const std::string&)>;

  /// @param maps  those of `setups`, in their order
  /// @param report  gets warnings
  /// @throws std::runtime_error, std::system_error if a port cannot be opened
  BusRunExtension(Simulation& simulation, std::vector<BusSetup> setups, std::vector<BusMap> maps,
                  Report report);
  ~BusRunExtension() override;

  /// Returns what a client of each bus opens.
  std::vector<std::string> addresses() const;
  /// Returns the paths of all control sockets.
  std::vector<std::string> controls() const;

  void serve() override;
  int wake_descriptor() override { return loop_.descriptor(); }
  bool ready() const override;
  bool commands(int robot) const override;
  void before_step() override;
  void after_step() override;
  void after_reset() override;

 private:
  struct OpenBus {
    BusSetup setup;
    BusMap map;
    std::vector<std::unique_ptr<MotorPlant>> plants;
    std::unique_ptr<ServoBus> bus;
    std::unique_ptr<BusLine> line;
    std::uint64_t seed = 0;  // of its noise
    std::unique_ptr<BusFaults> faults;
    std::unique_ptr<ControlPort> control;
  };

  void open(OpenBus& bus);
  std::uint64_t noise_seed() const;
  void read_kept(OpenBus& bus) const;
  void write_kept(const OpenBus& bus) const;

  Simulation& simulation_;
  Report report_;
  net::EventLoop loop_;
  std::vector<std::unique_ptr<OpenBus>> buses_;
  SilenceWatch silence_;
};

}  // namespace servosim::bus

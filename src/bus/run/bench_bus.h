// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/run/bus_faults.h"
#include "bus/run/bus_line.h"
#include "bus/serve/control_port.h"
#include "bus/servo/bench_plant.h"
#include "bus/servo/servo_bus.h"
#include "bus/setup/bus_choices.h"

namespace servosim::bus {

/// A servo that is served on a bench.
///
/// Threads: a plain value.
struct BenchServo {
  RegisterTable table;
  std::shared_ptr<const ServoModel> numbers;  ///< of the catalogue
  int id = 1;
  int baud_code = -1;  ///< of its register; < 0: its own
};

/// Servos on benches of their own at one bus, without any world.
///
/// Threads: one at a time.
class BenchBus {
 public:
  /// The servos move in steps of 1 ms.
  static constexpr double kStep = 0.001;

  /// @param control  the path of a control socket for faults; empty: none
  /// @throws std::invalid_argument if a model has no table, or if protocols or IDs do not fit
  BenchBus(const std::vector<BenchServo>& servos, const BusChoices& choices, const LineClock& clock,
           const BusLine::OpenPort& open, const std::string& control = {});

  const std::string& address() const { return line_->address(); }
  ServoBus& bus() { return *bus_; }
  /// Returns what hangs on a servo, by its place on the bus.
  const BenchLoad& load(std::size_t servo) const { return benches_[servo]->load(); }
  /// Serves clients until `ends` returns true; it is asked at least every 0.1 s.
  /// @param report  gets warnings
  void run(const std::function<bool()>& ends,
           const std::function<void(const std::string&)>& report);

 private:
  void step();

  BusChoices choices_;
  net::EventLoop loop_;
  std::vector<std::unique_ptr<BenchPlant>> benches_;
  std::unique_ptr<ServoBus> bus_;
  std::unique_ptr<BusLine> line_;
  std::optional<BusFaults> faults_;
  std::unique_ptr<ControlPort> control_;
  double time_ = 0.0;  // simulated [s]
  bool is_lockstep_;
  SilenceWatch silence_;
};

}  // namespace servosim::bus

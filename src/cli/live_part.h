// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/cli11_fwd.h"
#include "host/console.h"
#include "host/front_end.h"
#include "servosim/simulation.h"

namespace servosim {

/// A way to take part in a run from outside: its options of `servosim run`, and who then serves the
/// clients. A run with clients goes by the clock, and until it is told to end.
class LivePart {
 public:
  LivePart() = default;
  LivePart(const LivePart&) = delete;
  LivePart& operator=(const LivePart&) = delete;
  virtual ~LivePart() = default;

  virtual void add_options(CLI::App& command) = 0;
  /// Once the options are known.
  virtual bool wanted() const = 0;
  /// Looks for what was meant for its options among the worlds. @throws InputError
  virtual void check_worlds([[maybe_unused]] const std::vector<std::string>& worlds) const {}
  /// Whether its clients expect simulated seconds to be as long as real ones.
  virtual bool by_the_clock() const { return true; }
  /// Only if wanted(). Both arguments outlive what is given. @throws InputError
  virtual std::unique_ptr<FrontEnd> open(Simulation& simulation, Console& console) const = 0;
};

/// All that there are.
std::vector<std::unique_ptr<LivePart>> live_parts();
/// Of those that are wanted.
std::vector<std::unique_ptr<FrontEnd>> open_front_ends(
    const std::vector<std::unique_ptr<LivePart>>& parts, Simulation& simulation, Console& console);

}  // namespace servosim

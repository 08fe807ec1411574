// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace servosim {

/// Why the program has no simulation, or no longer has one. python/controller/errors.py has the
/// same numbers.
enum class EndingKind : int {
  Over = 0,          ///< a step after the one that returned -1
  World = 1,         ///< its world cannot be simulated
  Robot = 2,         ///< the robot it asks for is not there, or it has to choose one
  NoSimulation = 3,  ///< none is found, or it refuses this program
  Lost = 4,          ///< the connection was closed before the simulation ended
  Failed = 5,        ///< the simulation cannot go on
};

/// The end of the simulation for this program. It ends a program in C, and is reported to a program
/// that has called servosim_report_endings(). what() is empty if the reason was printed.
class Ending : public std::runtime_error {
 public:
  Ending(EndingKind kind, const std::string& why, const char* function = nullptr)
      : std::runtime_error(why), kind_(kind), function_(function) {}

  EndingKind kind() const { return kind_; }
  /// The function of the C API that a printed message names; may be null.
  const char* function() const { return function_; }
  int exit_status() const { return kind_ == EndingKind::Over ? EXIT_SUCCESS : EXIT_FAILURE; }

 private:
  EndingKind kind_;
  const char* function_;
};

/// Gets an EndingKind and a text for a terminal, which is valid during the call. It is called in
/// the thread whose call of the C API fails; that call then returns NaN, 0 or NULL.
using ReportEnding = void(int kind, const char* why);

/// Whether servosim_report_endings() was called. A lost connection is then an Ending too; for
/// programs in C it is a warning and a step that returns -1.
bool reports_endings();

/// Reports the ending, or prints it and ends the process.
void conclude(const Ending& ending) noexcept;

}  // namespace servosim

/// Makes endings be reported from now on, while the process goes on. Null: they end the process
/// again. It is not part of the C API; python/controller calls it.
extern "C" void servosim_report_endings(servosim::ReportEnding* report);

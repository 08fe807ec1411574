// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace servosim {

/// Why the program has no simulation, or not any more. The numbers are those of
/// python/controller/errors.py.
enum class EndingKind : int {
  Over = 0,          ///< a step after the one that returned -1
  World = 1,         ///< its world cannot be simulated
  Robot = 2,         ///< the robot it asks for is not there, or it has to choose one
  NoSimulation = 3,  ///< none is found, or it refuses this program
  Lost = 4,          ///< the connection was closed before the simulation ended
  Failed = 5,        ///< the simulation cannot go on
};

/// Ends a program in C; is reported to a program that has called servosim_report_endings(). what()
/// is empty when the reason was printed.
class Ending : public std::runtime_error {
 public:
  Ending(EndingKind kind, const std::string& why, const char* function = nullptr)
      : std::runtime_error(why), kind_(kind), function_(function) {}

  EndingKind kind() const { return kind_; }
  /// The function of the C API that is named where it is printed; may be null.
  const char* function() const { return function_; }
  int exit_status() const { return kind_ == EndingKind::Over ? EXIT_SUCCESS : EXIT_FAILURE; }

 private:
  EndingKind kind_;
  const char* function_;
};

/// `kind` is an EndingKind; `why` is text for a terminal, valid during the call. It is called in
/// the thread whose call of the C API fails, which then returns NaN, 0 or NULL.
using ReportEnding = void(int kind, const char* why);

/// Whether servosim_report_endings() was called. A lost connection then is an Ending, too; for
/// programs in C it is a warning and a step that returns -1.
bool reports_endings();

/// Reports the ending, or prints it and ends the process.
void conclude(const Ending& ending) noexcept;

}  // namespace servosim

/// From now on endings are reported, and the process goes on. Not part of the C API: for
/// python/controller. Null: as in C again.
extern "C" void servosim_report_endings(servosim::ReportEnding* report);

// SPDX-License-Identifier: Apache-2.0
#include "run/hosted_program.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "base/child_process.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "servosim/diagnostics.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

// The wait after the exit of the program that printed the output.
constexpr auto kTimeToLastOutput = 200ms;

// Returns why a controller failed if its last line tells, in the words of Tk, Qt, GTK, SDL or
// matplotlib.
const char* failure_in(const std::string& last_line) {
  static constexpr std::array<std::string_view, 8> kWithoutDisplay{
      "$DISPLAY",           "platform plugins", "open display", "video device",
      "connect to display", "GTK backend",      "'headless'",   "X server"};
  const bool names_it = std::any_of(
      kWithoutDisplay.begin(), kWithoutDisplay.end(),
      [&](std::string_view words) { return last_line.find(words) != std::string::npos; });
  return names_it && !has_display() ? ": it opens a window, and there is no display (`xvfb-run` "
                                      "gives it one)"
                                    : "";
}

}  // namespace

HostedProgram::HostedProgram(const PlannedController& plan) : folder_(plan.launch.folder) {
  try {
    LaunchSpec launch = plan.launch;
    try {
      fallback_socket_.emplace();
      launch.environment.emplace_back(kFallbackSocketVariable, fallback_socket_->name());
    } catch (const std::system_error& error) {
      rethrow_if_short(error);
      fallback_socket_.reset();  // only a program that the controller starts uses it
    }
    process_.emplace(launch);
  } catch (const std::system_error& error) {
    throw_if_short(error.code(),
                   fmt::format("robot '{}': its controller cannot be started", plan.robot_name));
    throw InputError(fmt::format("robot '{}': {}", plan.robot_name, error.what()));
  }
  started_at_ = Clock::now();
}

// Returns the line that it printed last, on standard error if it printed anything there.
std::string HostedProgram::last_line() const {
  std::string last;
  for (const std::shared_ptr<LastLine>& output : outputs_) {
    if (const std::string line = output ? output->wait(kTimeToLastOutput) : ""; !line.empty()) {
      last = line;
    }
  }
  return last;
}

std::string HostedProgram::describe_failure() const { return failure_in(last_line()); }

std::string HostedProgram::describe_crash(int wait_status) const {
  constexpr std::size_t kMaxLine = 200;
  std::string text;
  if (const std::string last = last_line(); !last.empty()) {
    text += fmt::format("; its last line: {}", printable(last.substr(0, kMaxLine)));
  }
  if (WCOREDUMP(wait_status)) {
    const std::string core = process_->core_file();
    text += core.empty() ? "; its core is where /proc/sys/kernel/core_pattern says"
                         : fmt::format("; its core: {}", core);
  }
  return text;
}

}  // namespace servosim

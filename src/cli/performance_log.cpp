// SPDX-License-Identifier: Apache-2.0
#include "cli/performance_log.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <limits>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "run/launch_plan.h"

namespace servosim {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name") && line.find(':') != std::string::npos) {
      return std::string(trimmed(line.substr(line.find(':') + 1)));
    }
  }
  return "unknown";
}

std::string system_info() {
  utsname name{};
  static_cast<void>(::uname(&name));  // it fails only for a bad address
  return fmt::format("System: {} {} {}\nProcessor: {}\nCores: {}\n", name.sysname, name.release,
                     name.machine, processor_name(), std::thread::hardware_concurrency());
}

PerformanceLog::PerformanceLog(const std::string& option)
    : path_(option), limit_(std::numeric_limits<std::int64_t>::max()) {
  const std::size_t comma = option.rfind(',');
  if (comma == std::string::npos) {
    return;
  }
  path_ = option.substr(0, comma);
  const auto steps = parse_number<std::int64_t>(option.substr(comma + 1));
  if (path_.empty() || !steps || *steps <= 0) {
    throw InputError(
        fmt::format("--log-performance needs FILE or FILE,STEPS, with a whole number of steps "
                    "above 0, not '{}'",
                    option));
  }
  limit_ = *steps;
}

void PerformanceLog::step(double simulated, double elapsed) {
  if (steps_ < limit_) {
    ++steps_;
    simulated_ = simulated;
    elapsed_ = elapsed;
  }
}

std::string PerformanceLog::write(const std::string& world, double time_step_ms) const {
  const double steps = static_cast<double>(steps_);
  const std::string text = fmt::format(
      "{}World: {}\nBasic time step: {} ms\nSteps: {}\nSimulated time: {:.6g} s\n"
      "Wall time: {:.6g} s\nTime per step: {:.6g} ms\nSpeed: {:.6g} x real time\n",
      system_info(), world, time_step_ms, steps_, simulated_, elapsed_,
      steps_ > 0 ? 1000.0 * elapsed_ / steps : 0.0, elapsed_ > 0.0 ? simulated_ / elapsed_ : 0.0);
  const auto error = write_file(path_, text, true);
  return error ? fmt::format("cannot write '{}': {}", path_, error->reason) : std::string();
}

}  // namespace servosim

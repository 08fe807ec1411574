// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_bench.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "cli/output.h"
#include "cli/project_file.h"
#include "fit/world_rig.h"
#include "run/launch_plan.h"

namespace servosim {

FitBench::FitBench(const FitArguments& arguments, Console& console)
    : arguments_(arguments), console_(console) {
  if (is_pendulum()) {
    read_pendulum(arguments_.rig, options_);
    for (const auto& [option, values] : {std::pair{"--proto-path", &arguments_.proto_paths},
                                         std::pair{"--assets", &arguments_.assets}}) {
      if (!values->empty() && arguments_.apply.empty()) {
        throw InputError(fmt::format("{} is for a world as --rig or of --apply", option));
      }
    }
    if (!arguments_.allow_missing.empty()) {
      throw InputError("--allow-missing is for a world as --rig");
    }
    if (arguments_.integrator.any()) {
      throw InputError("--integrator, --evaluations and --accuracy are for a world as --rig");
    }
  } else if (!arguments_.rig.ends_with(".wbt")) {
    throw InputError(fmt::format(
        "--rig '{}' is no rig: it is pendulum:mass=KG,length=M[,rod=KG], or a world (.wbt)",
        arguments_.rig));
  } else if (arguments_.joint.empty()) {
    throw InputError("a world as --rig needs --joint, the joint that the servo moves");
  } else {
    completeness_ = Completeness(ProjectFile::of_world(arguments_.rig)
                                     .values_unless(arguments_.allow_missing, "allow_missing"));
  }
  if (!arguments_.gains.empty()) {
    read_gains(arguments_.gains, options_);
  }
  options_.supply = arguments_.supply;
  if (!arguments_.columns.empty()) {
    format_.columns = parse_log_columns(arguments_.columns);
  }
  format_.joint = arguments_.joint;
}

std::vector<ServoLog> FitBench::read(const std::vector<std::string>& paths) const {
  std::vector<ServoLog> logs;
  for (const std::string& path : paths) {
    logs.push_back(read_servo_log(path, format_));
    if (is_pendulum() && !arguments_.joint.empty() && !logs.back().words.contains("joint")) {
      throw InputError(
          fmt::format("--joint is for a world as --rig or a trace, and {} is no trace", path));
    }
    if (is_pendulum() && logs.back().type == JointType::Linear) {
      throw InputError(
          fmt::format("{}: its joint is a slider, with positions in m; a pendulum turns", path));
    }
    for (const std::string& warning : logs.back().warnings) {
      console_.warn(fmt::format("{}: {}", path, warning));
    }
  }
  return logs;
}

std::unique_ptr<FitRig> FitBench::rig(const std::vector<ServoLog>& logs) {
  std::vector<BenchLog> on_rig;
  if (is_pendulum()) {
    for (const ServoLog& log : logs) {
      on_rig.push_back(bench_log(log, options_));
    }
    return std::make_unique<PendulumBench>(std::move(on_rig));
  }
  for (const ServoLog& log : logs) {
    on_rig.push_back({&log, {}, settings_of(log, options_)});
  }
  LoadOptions options = world_options(arguments_, arguments_.rig);
  arguments_.integrator.apply_to(options);
  try {
    tell_of_world(options);
    for (const ServoLog& log : logs) {
      check_type(log, arguments_.joint, type_);
    }
    return std::make_unique<WorldRig>(arguments_.rig, options, arguments_.joint, std::move(on_rig));
  } catch (const LoadError& error) {
    print_diagnostics(error.list(), false, console_);
    throw InputError(fmt::format("{}: the world cannot be simulated", arguments_.rig));
  } catch (const std::out_of_range& error) {
    throw InputError(fmt::format("{}: {}", arguments_.rig, error.what()));
  }
}

void FitBench::tell_of_world(const LoadOptions& options) {
  if (!std::exchange(is_told_, true)) {
    const Simulation simulation(arguments_.rig, options);
    diagnostics_ = simulation.diagnostics();
    print_diagnostics(diagnostics_, false, console_);
    completeness_.add(diagnostics_, console_.wants(LogLevel::Warning));
    type_ = simulation.joint(arguments_.joint).type();
  }
}

}  // namespace servosim

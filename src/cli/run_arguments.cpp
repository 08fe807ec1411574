// SPDX-License-Identifier: Apache-2.0
#include "cli/run_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/printable.h"
#include "base/sockets.h"
#include "cli/arguments.h"
#include "cli/completeness.h"
#include "physics/step_memory.h"
#include "run/launch_plan.h"

namespace servosim {

std::vector<std::unique_ptr<RemoteInterface>> remote_interfaces() {
  std::vector<std::unique_ptr<RemoteInterface>> interfaces;
  interfaces.push_back(bus_interface());
  interfaces.push_back(srvp_interface());
  interfaces.push_back(yarp_interface());
  interfaces.push_back(view_interface());
  return interfaces;
}

std::vector<std::unique_ptr<RunExtension>> open_extensions(
    const std::vector<std::unique_ptr<RemoteInterface>>& interfaces, Simulation& simulation,
    Console& console) {
  std::vector<std::unique_ptr<RunExtension>> extensions;
  for (const auto& interface : interfaces) {
    if (interface->enabled()) {
      extensions.push_back(interface->open(simulation, console));
    }
  }
  return extensions;
}

void add_length(CLI::App& command, std::optional<double>& duration,
                std::optional<std::int64_t>& steps) {
  CLI::Option* of_time =
      command.add_option("--duration", duration, "Simulated seconds")->type_name("S");
  of_time->check(finite_number(true).description(""));
  command.add_option("--steps", steps, "Basic steps, instead of a duration")
      ->type_name("N")
      ->check(whole_number().description(""))
      ->excludes(of_time);
}

void add_controller_option(CLI::App& command, std::vector<std::string>& controllers,
                           const std::string& help) {
  add_repeatable(command, "--controller", controllers, help)->type_name("ROBOT=PROGRAM");
}

std::vector<ControllerOverride> overrides_of(const std::vector<std::string>& arguments) {
  std::vector<ControllerOverride> overrides;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      throw InputError(fmt::format("--controller needs ROBOT=PROGRAM, not '{}'", argument));
    }
    overrides.push_back({argument.substr(0, equals), argument.substr(equals + 1)});
  }
  return overrides;
}

void add_integrator(CLI::App& command, IntegratorArguments& arguments) {
  add_choice(command, "--integrator", arguments.name, {"ode", "joint"},
             "How bodies move: as in Webots, or in the coordinates of the joints, of second order "
             "(that of the project or of the world, or ode)");
  command
      .add_option("--evaluations", arguments.evaluations,
                  "Evaluations of a step of the integrator joint, 1 to 8; 0 for as many as it "
                  "needs (0)")
      ->type_name("N")
      ->check(number_between(0, kMaxEvaluations, "number of evaluations"));
  const auto is_accuracy = [](const std::string& text) -> std::string {
    double value = 0.0;
    return CLI::detail::lexical_cast(text, value) && value >= 0.0 && value <= kMaxAccuracy
               ? std::string()
               : fmt::format("'{}' is no accuracy: it must be a number from 0 to {}, in rad or m",
                             printable(text), kMaxAccuracy);
  };
  command
      .add_option("--accuracy", arguments.accuracy,
                  "Most error of a joint in a step of the integrator joint, in rad or m: a step "
                  "with more is divided; 0 for any (0)")
      ->type_name("E")
      ->check(CLI::Validator(is_accuracy, ""));
}

void IntegratorArguments::apply_to(LoadOptions& options) const {
  if (!name.empty()) {
    options.integrator = name == "joint" ? Integrator::Joint : Integrator::Ode;
  }
  if (evaluations) {
    options.evaluations = static_cast<int>(*evaluations);
  }
  if (accuracy) {
    options.accuracy = accuracy;
  }
}

void add_solving(CLI::App& command, SolvingArguments& arguments) {
  add_choice(command, "--compat", arguments.compat, {"webots"},
             "Behave as Webots' engine also where that gains energy (gyroscopic torque)");
  add_choice(command, "--solver", arguments.solver, {"ode", "tree"},
             "What solves a step: tree, in linear time, and ode what that cannot; or ode alone "
             "(tree)");
  add_integrator(command, arguments.integrator);
  command
      .add_option("--step-memory", arguments.step_memory,
                  "Memory of the solver of a world for one step, up to 16 (half of the memory, "
                  "shared by the --jobs worlds)")
      ->type_name("GB")
      ->check(positive_number(kMaxStepMemory / 1e9).description(""));
}

// The limit is at least one byte, which is too little for any step, since 0 means the default.
void SolvingArguments::apply_to(LoadOptions& options, std::size_t jobs) const {
  options.compat_webots = compat == "webots";
  options.solver = solver == "ode" ? Solver::Ode : Solver::Tree;
  integrator.apply_to(options);
  options.step_memory = step_memory ? static_cast<std::size_t>(std::max(1.0, 1e9 * *step_memory))
                                    : default_step_memory(jobs);
}

CLI::Validator port_number() { return number_between(1, 65535, "port"); }

void add_extern(CLI::App& command, ExternArguments& arguments) {
  command
      .add_option("--port", arguments.port,
                  "Of this simulation for extern controllers, instead of the first that is free "
                  "from 1234 on")
      ->type_name("N")
      ->check(port_number());
  command
      .add_option(
          "--extern-tcp", arguments.tcp_address,
          "Accept extern controllers by TCP too, at this address: 127.0.0.1 for this machine only; "
          "everyone who can connect to it can control the robots that wait")
      ->type_name("ADDRESS");
  command.add_flag("--extern-urls", arguments.print_urls,
                   "Print what to set WEBOTS_CONTROLLER_URL to, for each extern controller");
}

ExternOptions extern_options(const ExternArguments& arguments) {
  ExternOptions options;
  if (arguments.port) {
    options.port = static_cast<int>(*arguments.port);
  }
  options.tcp_address = arguments.tcp_address;
  if (!options.tcp_address.empty() && !net::find_address(options.tcp_address, 0)) {
    throw InputError(fmt::format("--extern-tcp: '{}' is no address of IPv4, such as 127.0.0.1",
                                 printable(options.tcp_address)));
  }
  options.print_urls = arguments.print_urls;
  return options;
}

namespace {

constexpr const char* kRunHelp = R"(
Each robot's controller runs as a process of its own; one that consists of C or C++ sources is
compiled first, by make if it has a Makefile. For a controller "<extern>" the simulation waits until
you start it with `servosim controller`. Without --duration and --steps the run lasts until
all controllers have ended or, when there are none, for 10 simulated seconds. With clients it lasts
until Ctrl-C, in real time unless --mode or --realtime-factor is given.

With --mode realtime, or --realtime-factor, no step begins before its time; a warning tells when the
simulation is too slow. After a delay it catches up by 0.05 s at most.

With --yarp a robot, or the motors listed after ':', is a control board for clients of YARP: its
ports are PORT/rpc:i, command:i, state:o and stateExt:o. They listen at 127.0.0.1 only, unless
--yarp-listen is given: everyone who can connect to them can move the robot. Details and an example
are in docs/reference/yarp.md.

Several worlds run in parallel, each in a process of its own, --jobs of them at a time, and print
one line each on standard output, in the order given; their other output is prefixed with [WORLD].
--trace then names a folder, ending in '/' or there already: world.wbt writes world.csv
there, or world.jsonl with --trace-format jsonl; --record likewise, for world.svt. --controller is
for the worlds that have such a robot. A world that is named several times, or --copies N, has runs
ARM.wbt#0, ARM.wbt#1, ...: each with a seed of its own, the world's or --seed plus that number,
which its controllers find in SERVOSIM_INDEX; their traces are ARM-0.csv, ARM-1.csv, ...

With --fetch it first downloads what the worlds lack, as `servosim fetch` does, and leaves out what
may be used with Webots only unless --accept-licence webots is given. A file that cannot be had is
missing in the run: whether the world is complete decides on the exit code.

A trace overwrites nothing but another trace, and a recording nothing but another recording.

Exit codes: 0 done; 1 a controller failed or had to be killed, the simulation diverged or the output
cannot be written; 2 the input or an argument is wrong, or a controller does not compile (nothing is
simulated then); 3 the world lacks something without which it may move otherwise than its author
meant, such as a PROTO, a mesh or a controller: the last lines list it; the status a supervisor
quits with; 129, 130 or 143 after SIGHUP, SIGINT or SIGTERM. Of several worlds: 0 all are done; 2
the input of one is wrong; 1 another failure, or a supervisor quit with a status; 3 one is
incomplete.

A file servosim.toml in the world's project may hold options of the project, such as
`allow_missing = ["protos"]`, `proto_path = ["protos"]` or `duration = 10`; the command line has
precedence.

Examples:
  servosim run worlds/arm.wbt
  servosim run worlds/arm.wbt --duration 5 --trace arm.csv
  servosim run worlds/arm.wbt --trace arm.jsonl --watch 'arm/*' --watch elbow
  servosim run worlds/arm.wbt --duration 5 --record arm.svt
  servosim run worlds/arm.wbt --steps 100 --controller arm=controllers/arm/arm.c
  servosim run worlds/rover.wbt --steps 100 --controller rover='<none>'
  servosim run worlds/arm.wbt --duration 1 --realtime-factor 0.5
  servosim run worlds/icub_arm.wbt --yarp icub=/icub/left_arm --yarp-nameserver=0 --duration 1
  servosim run worlds/*.wbt --duration 5 --trace traces/ --trace-format jsonl --jobs 4
  servosim run worlds/arm.wbt --duration 5 --copies 100 --jobs 4 --quiet
  servosim run worlds/arm.wbt --set arm/shoulder.maxTorque=30 --set HAND.physics.mass=0.4
)";

// The names are in the order of LogLevel.
const std::vector<std::string> kLogLevels{"error", "warning", "info", "debug"};

void add_time(CLI::App& command, RunArguments& arguments) {
  add_length(command, arguments.time.duration, arguments.time.steps);
  add_choice(command, "--mode", arguments.time.mode, {"realtime", "fast"},
             "In real time, or as fast as possible (fast, unless clients take part)");
  command
      .add_option("--realtime-factor", arguments.time.realtime_factor,
                  "Simulated seconds per real second; --mode realtime: 1")
      ->type_name("X")
      ->check(finite_number(false).description(""));
}

void add_simulation(CLI::App& command, RunArguments& arguments) {
  command.add_option("--jobs", arguments.jobs, "Worlds at a time, instead of one per core")
      ->type_name("N")
      ->check(whole_number(1).description(""));
  command
      .add_option("--copies", arguments.copies,
                  "Run each world N times; a copy knows its number, from 0, as SERVOSIM_INDEX, "
                  "which is also added to its seed")
      ->type_name("N")
      ->check(number_between(1, 10000, "number of copies"));
  command.add_option("--seed", arguments.seed, "Instead of WorldInfo.randomSeed")
      ->type_name("N")
      ->check(whole_number().description(""));
  add_settings(command, arguments.settings);
  add_robot_file(command, arguments.robot_file);
  add_solving(command, arguments.solving);
  add_proto_path(command, arguments.proto_paths);
  add_servo_path(command, arguments.servo_paths);
  add_assets(command, arguments.assets);
  add_fetch_before_run(command, arguments.fetch);
  add_allow_missing(command, arguments.allow_missing);
}

void add_controllers(CLI::App& command, RunArguments& arguments) {
  add_controller_option(
      command, arguments.controllers.overrides,
      "Run PROGRAM (an executable, a C, C++ or Python file, a folder, a name in controllers/, "
      "or '<extern>': started by you) for ROBOT");
  command
      .add_option("--controller-timeout", arguments.controllers.timeout,
                  "Remove a controller that lets the simulation wait this many seconds")
      ->type_name("S")
      ->check(finite_number(false).description(""));
  command
      .add_option("--end-timeout", arguments.controllers.end_timeout,
                  "Seconds that controllers have to end after the last step (1); then they get "
                  "SIGTERM, and half a second later SIGKILL")
      ->type_name("S")
      ->check(finite_number(true).description(""));
  command
      .add_option("--extern-timeout", arguments.controllers.extern_timeout,
                  "Seconds to wait for an extern controller to connect; then the run goes on "
                  "without it, and is incomplete")
      ->type_name("S")
      ->check(finite_number(true).description(""));
  command.add_flag("--stop-on-failure", arguments.controllers.stop_on_failure,
                   "End the run when a controller fails, and not only when a supervisor fails "
                   "before its first step");
  add_extern(command, arguments.controllers.extern_controllers);
}

void add_output(CLI::App& command, RunArguments& arguments) {
  CLI::Option* trace = command.add_option("--trace", arguments.output.trace.path,
                                          "Write the state of joints and propellers at each step");
  trace->type_name("FILE.csv|FILE.jsonl|DIR/");
  add_choice(command, "--trace-format", arguments.output.trace.format, {"csv", "jsonl"},
             "Of the traces in DIR/ (csv by default); of a FILE it is the extension")
      ->needs(trace);
  command
      .add_flag(
          "--trace-comments", arguments.output.trace_comments,
          "Also write labels of supervisors and the beginnings of episodes to a CSV trace, as "
          "lines that begin with '#'")
      ->needs(trace);
  CLI::Option* record = command.add_option(
      "--record", arguments.output.recording.path,
      "Write a recording for `servosim view`: how the world looks, and where everything is");
  record->type_name("FILE.svt|DIR/");
  command
      .add_option("--record-rate", arguments.output.record_rate,
                  "Frames of a recording per simulated second (25)")
      ->type_name("HZ")
      ->check(finite_number(false).description(""))
      ->needs(record);
  command
      .add_flag("--record-images{5}", arguments.output.picture_rate,
                "Record what enabled Cameras and RangeFinders see, 5 times per simulated second; "
                "--record-images=HZ chooses another rate")
      ->check(positive_number(kMaxPictureRate).description(""))
      ->needs(record);
  add_repeatable(command, "--watch", arguments.output.watch,
                 "Only these in the trace and the table: a joint, robot/joint, or, for where "
                 "they are, ROBOT.pose or robot/Solid.pose, with * and ?")
      ->type_name("GLOB");
  command.add_flag(
      "--quiet", arguments.output.quiet,
      "Print the state hash, the output of controllers and warnings, but nothing else");
  command.add_flag("--json", arguments.output.json,
                   "Print one JSON document at the end, and the output of controllers to standard "
                   "error");
  add_verbose(command, arguments.output.verbose);
  add_choice(command, "--log-level", arguments.output.log_level, kLogLevels, "Messages on stderr");
}

void add_live(CLI::App& command, RunArguments& arguments) {
  for (const auto& interface : arguments.interfaces) {
    interface->add_options(command);
  }
}

}  // namespace

bool RunArguments::has_clients() const {
  return std::any_of(interfaces.begin(), interfaces.end(),
                     [](const auto& interface) { return interface->enabled(); });
}

std::optional<double> RunArguments::factor() const {
  if (time.realtime_factor && time.mode == "fast") {
    throw InputError("--mode fast and --realtime-factor exclude each other");
  }
  const bool expected = std::any_of(
      interfaces.begin(), interfaces.end(),
      [](const auto& interface) { return interface->enabled() && interface->in_real_time(); });
  const bool in_real_time =
      time.mode == "realtime" || (time.mode.empty() && (expected || as_webots.wanted));
  return time.realtime_factor || !in_real_time ? time.realtime_factor : 1.0;
}

LogLevel RunArguments::Output::wanted_log_level() const {
  const auto named = std::find(kLogLevels.begin(), kLogLevels.end(), log_level);
  return named != kLogLevels.end() ? static_cast<LogLevel>(named - kLogLevels.begin())
         : quiet                   ? LogLevel::Warning
                                   : LogLevel::Info;
}

double RunArguments::Output::pictures() const {
  double rate = 0.0;
  return CLI::detail::lexical_cast(picture_rate, rate) ? rate : 0.0;  // as its check reads it
}

void add_run_arguments(CLI::App& command, RunArguments& arguments) {
  command.footer(kRunHelp);
  add_worlds(command, arguments.worlds);
  command.add_option(kEndWithOption, arguments.parent)->group("");
  command.add_flag(kAsWebotsOption, arguments.as_webots.wanted)->group("");
  command.add_flag(kPausedOption, arguments.as_webots.paused)->group("");
  command.add_option(kPerformanceLogOption, arguments.as_webots.performance_log)->group("");
  // A new option gets the default group that the command has at that time.
  const auto add_group = [&](const char* group, const auto& add_options) {
    command.option_defaults()->group(group);
    add_options(command, arguments);
  };
  add_group("Time", add_time);
  add_group("Controllers", add_controllers);
  add_group("Output", add_output);
  add_group("Simulation", add_simulation);
  add_group("Clients", add_live);
}

}  // namespace servosim

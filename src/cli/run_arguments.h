// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/fetch.h"
#include "cli/run_several.h"
#include "recording/recorder.h"
#include "run/console.h"
#include "run/extern_listener.h"
#include "run/launch_plan.h"
#include "run/run_extension.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_writer.h"

namespace servosim {

/// An interface for clients that take part in a run, YARP or SRVP: its options of `servosim run`,
/// and the extension of the run that serves the clients. A run with clients proceeds in real time
/// and does not end by itself.
class RemoteInterface {
 public:
  RemoteInterface() = default;
  RemoteInterface(const RemoteInterface&) = delete;
  RemoteInterface& operator=(const RemoteInterface&) = delete;
  virtual ~RemoteInterface() = default;

  virtual void add_options(CLI::App& command) = 0;
  /// Returns whether its options enable it.
  virtual bool enabled() const = 0;
  /// Finds values of its options that were parsed as worlds. @throws InputError
  virtual void check_worlds([[maybe_unused]] const std::vector<std::string>& worlds) const {}
  /// Reads what the project of a world says about it. Clients can take part in the run of one world
  /// only, which `is_alone`. Returns warnings. @throws std::runtime_error
  virtual std::vector<std::string> read_project([[maybe_unused]] const std::string& world,
                                                [[maybe_unused]] bool is_alone) {
    return {};
  }
  /// Returns whether its clients need simulated time to pass as fast as real time.
  virtual bool in_real_time() const { return true; }
  /// Call this only if enabled(). Both arguments must outlive the extension. @throws InputError
  virtual std::unique_ptr<RunExtension> open(Simulation& simulation, Console& console) const = 0;
};

/// Returns `--bus` and its options: motors with servo models become servos of a bus.
std::unique_ptr<RemoteInterface> bus_interface();
/// Returns `--srvp` and its options: robots become MCUs of an SRVP server.
std::unique_ptr<RemoteInterface> srvp_interface();
/// Returns `--yarp` and its options: robots become control boards for YARP clients.
std::unique_ptr<RemoteInterface> yarp_interface();
/// Returns `--view` and its options: browsers show the run.
std::unique_ptr<RemoteInterface> view_interface();
/// Returns all interfaces.
std::vector<std::unique_ptr<RemoteInterface>> remote_interfaces();
/// Returns the extensions of the interfaces that are enabled.
std::vector<std::unique_ptr<RunExtension>> open_extensions(
    const std::vector<std::unique_ptr<RemoteInterface>>& interfaces, Simulation& simulation,
    Console& console);

/// The options of `run` for extern controllers.
struct ExternArguments {
  std::optional<std::int64_t> port;  // 1 ... 65535
  std::string tcp_address;
  bool print_urls = false;
};

/// Declares `--duration` and `--steps`, which exclude each other.
void add_length(CLI::App& command, std::optional<double>& duration,
                std::optional<std::int64_t>& steps);
/// Declares `--controller ROBOT=PROGRAM`.
void add_controller_option(CLI::App& command, std::vector<std::string>& controllers,
                           const std::string& help);
/// @throws InputError for an argument of another form
std::vector<ControllerOverride> overrides_of(const std::vector<std::string>& arguments);

/// Options about how bodies move in a step.
struct IntegratorArguments {
  std::string name;                         // "ode", "joint" or empty
  std::optional<std::int64_t> evaluations;  // 0 ... kMaxEvaluations
  std::optional<double> accuracy;           // 0 ... kMaxAccuracy

  bool any() const { return !name.empty() || evaluations || accuracy; }
  void apply_to(LoadOptions& options) const;
};
/// Declares `--integrator`, `--evaluations` and `--accuracy`.
void add_integrator(CLI::App& command, IntegratorArguments& arguments);

/// Options about how steps are computed.
struct SolvingArguments {
  std::string compat;  // "webots" or empty
  std::string solver;  // "tree", "ode" or empty
  IntegratorArguments integrator;
  std::optional<double> step_memory;  // [GB]; > 0, at most kMaxStepMemory

  /// `jobs` is the number of worlds that are simulated at a time.
  void apply_to(LoadOptions& options, std::size_t jobs) const;
};
/// Declares `--compat`, `--solver`, the options of add_integrator(), and `--step-memory`.
void add_solving(CLI::App& command, SolvingArguments& arguments);

void add_extern(CLI::App& command, ExternArguments& arguments);
ExternOptions extern_options(const ExternArguments& arguments);

/// Accepts 1 ... 65535.
CLI::Validator port_number();

/// The option by which run_child() passes the id of the process with which the run ends. No help
/// text shows it.
inline constexpr const char* kEndWithOption = "--end-with-parent";

/// The options by which other commands say that the buses of the project are not opened, or all in
/// a folder of the run. No help text shows them.
inline constexpr const char* kNoBusesOption = "--no-buses";
inline constexpr const char* kBusFolderOption = "--bus-folder";

/// Options of `servosim webots`, which the help of `run` does not show.
inline constexpr const char* kAsWebotsOption = "--as-webots";
inline constexpr const char* kPausedOption = "--paused";
inline constexpr const char* kPerformanceLogOption = "--performance-log";

/// The options of `servosim run`.
struct RunArguments {
  struct Time {
    std::optional<double> duration;  // [s]; finite, >= 0
    std::optional<std::int64_t> steps;
    std::string mode;                       // "realtime", "fast" or empty
    std::optional<double> realtime_factor;  // finite, > 0
  };
  struct Controllers {
    std::vector<std::string> overrides;    // ROBOT=PROGRAM
    std::optional<double> timeout;         // [s]; finite, > 0
    std::optional<double> extern_timeout;  // [s]; finite, >= 0
    double end_timeout = 1.0;              // [s]; finite, >= 0
    bool stop_on_failure = false;
    ExternArguments extern_controllers;
  };
  struct Output {
    OutputTarget trace{trace_kind(), "--trace"};
    bool trace_comments = false;
    OutputTarget recording{recording_kind(), "--record"};
    double record_rate = RecordingOptions().rate;  // [Hz]; finite, > 0
    std::string picture_rate;                      // [Hz]; finite, > 0, or empty
    std::vector<std::string> watch;                // globs
    bool quiet = false;
    bool json = false;      // a JSON document is printed instead of text
    bool verbose = false;   // each warning is printed by itself
    std::string log_level;  // a name, or empty

    LogLevel wanted_log_level() const;
    /// Returns the rate of recorded pictures [Hz]; 0 means none.
    double pictures() const;
  };
  /// What `servosim webots` asks for.
  struct AsWebots {
    bool wanted = false;  // ends, prints and accepts extern controllers as Webots does
    bool paused = false;
    std::string performance_log;  // FILE[,STEPS], or empty
  };

  std::optional<std::int64_t> parent;  // value of kEndWithOption
  AsWebots as_webots;
  std::vector<std::string> worlds;
  Time time;
  Controllers controllers;
  Output output;
  std::vector<std::string> proto_paths;
  std::vector<std::string> servo_paths;
  RobotFileOptions robot_file;
  std::vector<std::string> assets;
  FetchBeforeRun fetch;
  SettingArguments settings;
  std::optional<std::int64_t> seed;
  SolvingArguments solving;
  std::optional<std::int64_t> jobs;
  std::optional<std::int64_t> copies;      // number of copies of each world
  std::vector<std::string> allow_missing;  // names of kinds
  std::vector<std::unique_ptr<RemoteInterface>> interfaces = remote_interfaces();

  /// Returns whether clients take part in the run.
  bool has_clients() const;
  /// Returns the real-time factor; nothing means as fast as possible. @throws InputError for a
  /// contradiction
  std::optional<double> factor() const;
};

void add_run_arguments(CLI::App& command, RunArguments& arguments);

}  // namespace servosim

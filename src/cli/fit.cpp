// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <numbers>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/experiment.h"
#include "cli/fit_result.h"
#include "cli/output.h"
#include "fit/bench_options.h"
#include "fit/world_rig.h"
#include "run/controller_set.h"
#include "run/launch_plan.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

constexpr const char* kFitHelp = R"(
Finds the numbers of a real servo with which simulations of whole logs, from the commanded position
on, come closest to what was measured: motor, gear, friction, and what --free names. It tries the
friction models M1 to M6 with several searches each, and chooses the one that best predicts logs
which it has not seen. -o writes the servo as TOML, which `servo` of a motor and --servo read.

LOG is CSV with a header, JSON of BAM's form, or a trace. --columns names its columns, with units in
brackets: time [s, ms, us], goal and position [rad, deg, turn], velocity [rad/s, deg/s, rpm],
current [A, mA], voltage [V, mV], effort [N m], and torque, which is 1 while the torque is on.
Without it, columns are found by their usual names. Goals hold until the next row. Lines
`# key = value` of a CSV and keys of a JSON say kp, vin, mass, length, rod and motor; --gain,
--supply, --rig and --servo say it instead.

The rig is a pendulum, a mass at the end of a rod on a horizontal axis that hangs at 0, or the joint
of a world, whose motor becomes the servo. A world takes much longer: give it one of --models.

--check compares a servo with logs, without a fit. The error is the mean over time of |simulated -
measured position|.

Exit codes: 0 done; 1 a file cannot be written, or gnuplot is missing for a report; 2 a log, a servo
or an argument is wrong.

Examples:
  servosim fit a.json b.json --keep c.json -o mine.toml --report mine.html
  servosim fit log.csv --servo XL330-M288-T --rig pendulum:mass=0.49,length=0.1 --gain kp=400 \
    --supply 7.4 --columns 'time=t[ms], goal=cmd[deg], position=pos[deg]' -o mine.toml
  servosim fit --check mine.toml c.json --json
)";

struct FitArguments {
  std::vector<std::string> logs;
  std::vector<std::string> kept;
  std::string servo;
  std::vector<std::string> servo_paths;
  std::vector<std::string> proto_paths;
  std::string rig = "pendulum";
  std::string joint;
  std::string columns;
  std::string gains;
  std::optional<double> supply;
  std::string output;
  std::string check;
  std::string report;
  std::vector<std::string> models;
  std::vector<std::string> free;
  std::vector<std::string> fixed;
  std::string load = "transmitted";
  std::int64_t starts = 3;
  std::int64_t generations = 300;
  std::int64_t seed = 1;
  std::optional<std::int64_t> jobs;
  bool json = false;
};

std::vector<std::string> split(const std::vector<std::string>& lists) {
  std::vector<std::string> parts;
  for (const std::string& list : lists) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string_view part = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!part.empty()) {
        parts.emplace_back(part);
      }
    }
  }
  return parts;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// What an encoder reads where the rig hangs at 0 belongs to the bench and not to the servo: it is a
// fact in the file of a result, by which --check scores logs of the same bench.
constexpr std::string_view kBenchOffset = "encoder.offset of the bench [rad]";

void take_bench_offset(const ServoFile& file, ServoModel& model) {
  for (const auto& [fact, value] : file.facts) {
    if (fact == kBenchOffset) {
      model.encoder.offset = parse_number<double>(value).value_or(model.encoder.offset);
    }
  }
}

// @param of_bench  with the offset that its encoder has on the bench of the fit
ServoModel servo_of_file(const std::string& path, bool of_bench) {
  const auto content = read_file(path);
  if (const auto* error = std::get_if<FileError>(&content)) {
    throw InputError(fmt::format("{}: {}{}", path, error->reason, did_you_mean_file(path)));
  }
  try {
    const ServoFile file = read_servo_file(std::get<std::string>(content), path);
    ServoModel model = file.find("")->model;
    if (of_bench) {
      take_bench_offset(file, model);
    }
    return model;
  } catch (const TomlError& error) {
    throw InputError(error.what());
  }
}

// Returns errno if a file cannot be written, else 0.
int fault_of_output(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    return EISDIR;
  }
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return (::access(path.c_str(), F_OK) == 0
              ? ::access(path.c_str(), W_OK)
              : ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK)) == 0
             ? 0
             : errno;
}

class FitCommand {
 public:
  FitCommand(const FitArguments& arguments, Console& console)
      : arguments_(arguments), console_(console) {}

  void run() {
    read_options();
    fit_options_ = fit_options();
    logs_ = read_logs(arguments_.logs);
    kept_ = read_logs(arguments_.kept);
    if (!arguments_.check.empty()) {
      return check();
    }
    fit();
  }

 private:
  void read_options() {
    if (is_pendulum(arguments_.rig)) {
      read_pendulum(arguments_.rig, options_);
      if (!arguments_.proto_paths.empty()) {
        throw InputError("--proto-path is for a world as --rig");
      }
    } else if (!arguments_.rig.ends_with(".wbt")) {
      throw InputError(fmt::format(
          "--rig '{}' is no rig: it is pendulum:mass=KG,length=M[,rod=KG], or a world (.wbt)",
          arguments_.rig));
    } else if (arguments_.joint.empty()) {
      throw InputError("a world as --rig needs --joint, the joint that the servo moves");
    }
    if (!arguments_.gains.empty()) {
      read_gains(arguments_.gains, options_);
    }
    options_.supply = arguments_.supply;
    if (!arguments_.columns.empty()) {
      format_.columns = parse_log_columns(arguments_.columns);
    }
    format_.joint = arguments_.joint;
    check_outputs();
  }

  // What a search of minutes finds can be written, and nothing that was read is lost.
  void check_outputs() const {
    std::vector<std::string> inputs = arguments_.logs;
    inputs.insert(inputs.end(), arguments_.kept.begin(), arguments_.kept.end());
    if (arguments_.servo.ends_with(".toml")) {
      inputs.push_back(arguments_.servo);
    }
    if (!is_pendulum(arguments_.rig)) {
      inputs.push_back(arguments_.rig);
    }
    for (const std::string& output : {arguments_.output, arguments_.report}) {
      if (output.empty()) {
        continue;
      }
      for (const std::string& input : inputs) {
        if (is_same_file(input, output)) {
          throw InputError(
              fmt::format("'{}' is read and would be overwritten; name another file", output));
        }
      }
      inputs.push_back(output);
      if (const int error = fault_of_output(output); error != 0) {
        throw std::runtime_error(
            fmt::format("'{}' cannot be written: {}", output, std::strerror(error)));
      }
    }
  }

  std::vector<ServoLog> read_logs(const std::vector<std::string>& paths) {
    std::vector<ServoLog> logs;
    for (const std::string& path : paths) {
      logs.push_back(read_servo_log(path, format_));
      if (is_pendulum(arguments_.rig) && !arguments_.joint.empty() &&
          !logs.back().words.contains("joint")) {
        throw InputError(
            fmt::format("--joint is for a world as --rig or a trace, and {} is no trace", path));
      }
      if (is_pendulum(arguments_.rig) && logs.back().words.contains("unit")) {
        throw InputError(
            fmt::format("{}: its joint is a slider, with positions in m; a pendulum turns", path));
      }
      for (const std::string& warning : logs.back().warnings) {
        console_.warn(fmt::format("{}: {}", path, warning));
      }
    }
    return logs;
  }

  std::unique_ptr<FitRig> rig_of(const std::vector<ServoLog>& logs) {
    std::vector<BenchLog> on_rig;
    if (is_pendulum(arguments_.rig)) {
      for (const ServoLog& log : logs) {
        on_rig.push_back(bench_log(log, options_));
      }
      return std::make_unique<PendulumBench>(std::move(on_rig));
    }
    for (const ServoLog& log : logs) {
      on_rig.push_back({&log, {}, settings_of(log, options_)});
    }
    LoadOptions options;
    options.proto_paths = arguments_.proto_paths;
    options.servo_paths = arguments_.servo_paths;
    try {
      auto rig =
          std::make_unique<WorldRig>(arguments_.rig, options, arguments_.joint, std::move(on_rig));
      print_diagnostics(
          std::exchange(is_told_, true) ? std::vector<Diagnostic>() : rig->diagnostics(), false,
          console_);
      return rig;
    } catch (const LoadError& error) {
      throw InputError(error.what());
    } catch (const std::out_of_range& error) {
      throw InputError(error.what());
    }
  }

  static std::vector<LogScore> scores(const FitRig& rig, bool kept, const ServoModel* before,
                                      const ServoModel& after) {
    const std::vector<LogPart> parts = whole_logs(rig);
    const std::vector<double> errors = mean_errors(rig, parts, {&after, 1});
    std::vector<double> old(errors.size(), std::numeric_limits<double>::quiet_NaN());
    if (before != nullptr) {
      old = mean_errors(rig, parts, {before, 1});
    }
    std::vector<LogScore> list;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      list.push_back({&rig.logs()[i], kept, old[i], errors[i]});
    }
    return list;
  }

  void check() {
    const ServoModel model = servo_of_file(arguments_.check, true);
    const std::unique_ptr<FitRig> rig = rig_of(logs_);
    const std::vector<LogScore> list = scores(*rig, false, nullptr, model);
    if (arguments_.json) {
      console_.print(json_text({{"schema", "servosim-fit-check-1"},
                                {"servo", arguments_.check},
                                {"logs", scores_json(list)},
                                {"mean_error_deg", mean_error_degrees(list)}}) +
                     "\n");
    } else {
      console_.print(scores_text(list));
    }
  }

  static nlohmann::ordered_json mean_error_degrees(const std::vector<LogScore>& list) {
    return number_json(mean_after(list, false) * 180.0 / std::numbers::pi);
  }

  // The servo to start from.
  ServoModel start_servo() {
    const std::string& servo = arguments_.servo;
    if (servo.ends_with(".toml")) {
      name_ = servo;
      return servo_of_file(servo, false);
    }
    try {
      const ServoCatalogue catalogue(arguments_.servo_paths);
      name_ = servo.empty() ? servo_of_logs(catalogue) : servo;
      return *catalogue.model(name_);
    } catch (const TomlError& error) {
      throw InputError(error.what());
    }
  }

  // The servo of the catalogue whose name begins with what the logs call their motor. Of several,
  // one that was identified comes first.
  std::string servo_of_logs(const ServoCatalogue& catalogue) const {
    const auto word = logs_.front().words.find("motor");
    if (word == logs_.front().words.end()) {
      throw InputError(
          fmt::format("{}: does not say which servo it is of; --servo NAME says it, "
                      "and `servosim servos` lists the names",
                      logs_.front().path));
    }
    const std::string wanted = lower_case(word->second);
    const ServoFile* found = nullptr;
    std::vector<std::string> names;
    // A file that is no servo is none that the logs name.
    const std::vector<ServoFile> files = catalogue.all([](const TomlError&) {});
    for (const ServoFile& file : files) {
      const std::string name = lower_case(file.name);
      names.push_back(file.name);
      if (name == wanted ||
          std::any_of(file.aliases.begin(), file.aliases.end(),
                      [&](const std::string& alias) { return lower_case(alias) == wanted; })) {
        return file.name;
      }
      const bool is_identified = file.find("")->origin.confidence == "identified";
      if (name.starts_with(wanted) && (found == nullptr || is_identified)) {
        found = &file;
      }
    }
    if (found == nullptr) {
      throw InputError(
          fmt::format("{}: there is no servo '{}' in the catalogue{}; --servo names one",
                      logs_.front().path, word->second, nearest_names(word->second, names)));
    }
    return found->name;
  }

  FitOptions fit_options() {
    FitOptions options;
    if (!arguments_.models.empty()) {
      options.models = split(arguments_.models);
      if (options.models.empty()) {
        throw InputError("--models names no friction model; such as M1,M6");
      }
      for (std::string& model : options.models) {
        std::transform(model.begin(), model.end(), model.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      }
    }
    options.free = split(arguments_.free);
    for (const std::string& fixed : split(arguments_.fixed)) {
      options.fixed.push_back(fixed.substr(0, fixed.find('=')));
      static_cast<void>(servo_field(options.fixed.back()));
    }
    options.load = arguments_.load == "static" ? ServoLoad::Static : ServoLoad::Transmitted;
    options.starts = static_cast<int>(arguments_.starts);
    options.generations = static_cast<int>(arguments_.generations);
    options.seed = static_cast<std::uint64_t>(arguments_.seed);
    options.threads = arguments_.jobs ? static_cast<std::size_t>(*arguments_.jobs) : usable_cores();
    if (::isatty(STDERR_FILENO) != 0) {
      options.progress = [this](double share) {
        const std::lock_guard lock(mutex_);
        console_.progress(fmt::format("{:3.0f} %", 100.0 * share));
      };
    }
    return options;
  }

  // The gains and the supply that all logs have belong to the servo.
  void take_settings(const FitRig& rig, ServoModel& model) const {
    const auto common = [&](double BenchSettings::*which, double& value) {
      const double first = rig.logs().front().settings.*which;
      const bool is_common =
          std::all_of(rig.logs().begin(), rig.logs().end(),
                      [&](const BenchLog& log) { return log.settings.*which == first; });
      value = is_common ? first : value;
    };
    common(&BenchSettings::p, model.firmware.p);
    common(&BenchSettings::i, model.firmware.i);
    common(&BenchSettings::d, model.firmware.d);
    common(&BenchSettings::supply, model.supply.voltage);
  }

  // A servo that was on at a voltage does not end its torque there.
  void let_supply_pass(const FitRig& rig, ServoModel& model) {
    double& least = model.protection.min_voltage;
    double& most = model.protection.max_voltage;
    for (const BenchLog& log : rig.logs()) {
      const double volts = log.settings.supply;
      const double limit = volts > most ? most : least;
      if (volts > most || volts < least) {
        warnings_.push_back(fmt::format(
            "{}: its supply has {:.4g} V, where {} ends its torque at {:.4g} V; the result has no "
            "such limit",
            log.log->path, volts, name_, limit));
        most = volts > most ? std::numeric_limits<double>::infinity() : most;
        least = volts < least ? 0.0 : least;
      }
    }
  }

  // Logs of two servos have no numbers in common.
  void check_servos_of_logs() const {
    const ServoLog* first = nullptr;
    for (const ServoLog& log : logs_) {
      const auto word = log.words.find("motor");
      if (word == log.words.end()) {
        continue;
      }
      if (first != nullptr && lower_case(first->words.at("motor")) != lower_case(word->second)) {
        throw InputError(fmt::format("{} is of '{}' and {} of '{}': a fit is of one servo",
                                     first->path, first->words.at("motor"), log.path,
                                     word->second));
      }
      first = first == nullptr ? &log : first;
    }
  }

  // Notes what counts where the logs do not say it, and what looks like a wrong unit.
  void tell_of(const FitRig& rig, const ServoModel& model) {
    for (const BenchLog& log : rig.logs()) {
      const std::string& path = log.log->path;
      if (std::isnan(log.settings.p)) {
        warnings_.push_back(
            fmt::format("{}: does not say its P gain; that of {}, {:.4g}, counts; --gain "
                        "kp=P says it",
                        path, name_, model.firmware.p));
      }
      if (std::isnan(log.settings.supply)) {
        warnings_.push_back(
            fmt::format("{}: does not say the voltage of its supply; that of {}, {:.4g} "
                        "V, counts; --supply V says it",
                        path, name_, model.supply.voltage));
      }
      if (!arguments_.supply && !std::isnan(log.settings.supply) &&
          !log.log->numbers.contains("vin") && !log.log->numbers.contains("supply")) {
        warnings_.push_back(
            fmt::format("{}: its supply counts as {:.4g} V, the mean of its voltages", path,
                        log.settings.supply));
      }
      constexpr double kTooFast = 3.0;
      const double free_speed = model_for(log, model).supply.voltage / model.drive.torque_constant;
      if (is_pendulum(arguments_.rig) && top_speed(*log.log) > kTooFast * free_speed) {
        warnings_.push_back(fmt::format(
            "{}: position moves at up to {:.3g} rad/s, and {} turns at {:.3g} rad/s at most: is "
            "it in degrees? --columns 'position=…[deg]' says so",
            path, top_speed(*log.log), name_, free_speed));
      }
    }
    for (const LogColumn& column : format_.columns) {
      const bool is_supply = column.quantity == LogQuantity::Voltage && arguments_.supply;
      if (is_supply || column.quantity == LogQuantity::Current ||
          column.quantity == LogQuantity::Effort) {
        warnings_.push_back(fmt::format("--columns: a fit does not use {}{}",
                                        name_of(column.quantity),
                                        is_supply ? ", since --supply says it" : ""));
      }
    }
  }

  void fit() {
    check_servos_of_logs();
    const std::unique_ptr<FitRig> fitted = rig_of(logs_);
    const std::unique_ptr<FitRig> kept = rig_of(kept_);
    const FitRig& rig = *fitted;
    ServoModel start = start_servo();
    tell_of(rig, start);
    take_settings(rig, start);
    let_supply_pass(rig, start);
    for (const std::string& fixed : split(arguments_.fixed)) {
      if (const std::size_t equals = fixed.find('='); equals != fixed.npos) {
        set_text(start, servo_field(fixed.substr(0, equals)), fixed.substr(equals + 1));
      }
    }
    FitSummary summary;
    summary.servo = name_;
    summary.output = arguments_.output;
    summary.fit = fit_servo(rig, start, fit_options_);
    console_.clear_progress();
    for (const std::string& warning : warnings_) {
      console_.warn(warning);
    }
    summary.fit.start = start;
    summary.logs = scores(rig, false, &start, summary.fit.model);
    for (const LogScore& score : scores(*kept, true, &start, summary.fit.model)) {
      summary.logs.push_back(score);
    }
    write_result(summary);
    console_.print(arguments_.json ? json_text(fit_json(summary)) + "\n" : fit_text(summary));
    if (!arguments_.report.empty()) {
      write(arguments_.report, fit_report(summary, rig, kept_.empty() ? nullptr : kept.get()));
    }
  }

  void write_result(const FitSummary& summary) const {
    if (arguments_.output.empty()) {
      return;
    }
    ServoModel model = summary.fit.model;
    model.name = std::filesystem::path(arguments_.output).stem().string();
    std::replace_if(
        model.name.begin(), model.name.end(),
        [](char c) { return std::string_view(" \t\n\"'/\\=*").find(c) != std::string_view::npos; },
        '_');
    ServoOrigin origin;
    origin.source =
        fmt::format("servosim fit of {} from {}", counted(logs_.size(), "log"), summary.servo);
    origin.confidence = "identified";
    origin.notes.push_back(fmt::format(
        "{}: the mean error of the logs is {:.3f}°, and {:.3f}° of {}, predicted by a fit of the "
        "others.",
        summary.fit.choice, mean_after(summary.logs, false) * 180.0 / std::numbers::pi,
        validation_of(summary.fit) * 180.0 / std::numbers::pi, summary.fit.validation));
    for (const std::string& remark : remarks_on(summary.fit)) {
      origin.notes.push_back(remark);
    }
    const std::string rod = rod_remark(summary.fit, summary.logs.front().log->rig);
    if (!rod.empty()) {
      origin.notes.push_back(rod);
    }
    const double offset = model.encoder.offset;
    model.encoder.offset = summary.fit.start.encoder.offset;
    const std::string text =
        to_toml(model, origin) + fmt::format("\n[facts]\n\"{}\" = {}\n", kBenchOffset, offset);
    try {
      static_cast<void>(read_servo_file(text, arguments_.output));
    } catch (const TomlError& error) {
      throw InputError(fmt::format("the result is no servo and is not written: {}", error.what()));
    }
    write(arguments_.output, text);
  }

  static double validation_of(const Fit& fit) {
    for (const FitCandidate& candidate : fit.candidates) {
      if (candidate.is_chosen) {
        return candidate.validation;
      }
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  static void write(const std::string& path, const std::string& text) {
    if (const auto error = write_file(path, text, true)) {
      throw std::runtime_error(fmt::format("'{}' {}", path, error->reason));
    }
  }

  const FitArguments& arguments_;
  Console& console_;
  BenchOptions options_;
  FitOptions fit_options_;
  LogFormat format_;
  std::vector<ServoLog> logs_;
  std::vector<ServoLog> kept_;
  std::string name_;                   // of the servo to start from
  std::vector<std::string> warnings_;  // that follow the search
  bool is_told_ = false;               // what loading the world has to say
  std::mutex mutex_;
};

}  // namespace

void add_fit(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("fit", "Find the numbers of a real servo from its logs");
  const auto arguments = std::make_shared<FitArguments>();
  command->footer(kFitHelp);
  command->add_option("LOG", arguments->logs, "Logs of the servo (.csv, .json, .jsonl)")
      ->type_name("")
      ->required();
  command->add_option("--keep", arguments->kept, "Logs that are scored and not fitted")
      ->type_name("LOG...");
  command
      ->add_option("--servo", arguments->servo,
                   "Servo to start from: a name of the catalogue, or a .toml file")
      ->type_name("MODEL");
  add_servo_path(*command, arguments->servo_paths);
  add_proto_path(*command, arguments->proto_paths);
  command
      ->add_option("--rig", arguments->rig,
                   "What it moves: pendulum:mass=KG,length=M[,rod=KG], or a world (.wbt)")
      ->type_name("RIG");
  command->add_option("--joint", arguments->joint, "Of a world or a trace, the joint of the servo")
      ->type_name("NAME");
  command
      ->add_option("--columns", arguments->columns, "Columns of the logs, as quantity=name[unit]")
      ->type_name("LIST");
  command->add_option("--gain", arguments->gains, "Gains of the firmware: kp=P[,ki=I,kd=D]")
      ->type_name("LIST");
  command->add_option("--supply", arguments->supply, "Voltage of the supply")
      ->type_name("V")
      ->check(finite_number(false).description(""));
  command->add_option("-o,--output", arguments->output, "File of the result")
      ->type_name("FILE.toml");
  command
      ->add_option("--check", arguments->check, "Compare this servo with the logs, without a fit")
      ->type_name("FILE.toml");
  command->add_option("--report", arguments->report, "Page with pictures of the result")
      ->type_name("FILE.html");
  add_repeatable(*command, "--models", arguments->models, "Friction models to try, such as M1,M6")
      ->type_name("LIST");
  add_repeatable(*command, "--free", arguments->free, "Further fields to look for")
      ->type_name("FIELDS");
  add_repeatable(*command, "--fix", arguments->fixed,
                 "Fields that keep the value of the start, or get a VALUE")
      ->type_name("FIELD[=VALUE]");
  add_choice(*command, "--load", arguments->load, {"transmitted", "static"},
             "Which torque of the load the friction reads");
  command->add_option("--starts", arguments->starts, "Searches of each model")
      ->type_name("N")
      ->check(number_between(1, 100, "number of searches"))
      ->capture_default_str();
  command->add_option("--generations", arguments->generations, "Generations of a search")
      ->type_name("N")
      ->check(number_between(1, 100000, "number of generations"))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Of the random numbers")
      ->type_name("N")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "Searches at a time, instead of one per core")
      ->type_name("N")
      ->check(number_between(1, 1024, "number of jobs"));
  command->add_flag("--json", arguments->json, "Print the result as JSON");
  command->callback([&action, arguments, command] {
    action = [arguments, command] {
      return run_writer([&](Console& console) {
        for (const char* name :
             {"--keep", "-o", "--report", "--servo", "--models", "--free", "--fix", "--load",
              "--starts", "--generations", "--seed", "--jobs"}) {
          if (!arguments->check.empty() && command->get_option(name)->count() > 0) {
            throw InputError(fmt::format("{} is for a fit, and --check makes none", name));
          }
        }
        FitCommand(*arguments, console).run();
      });
    };
  });
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/completeness.h"
#include "cli/fit_command.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

constexpr const char* kFitHelp = R"(
Finds the numbers of a real servo with which simulations of whole logs, from the commanded position
on, come closest to what was measured: motor, gear, friction, and what --free names. It tries the
friction models M1 to M6 with several searches each, and chooses the one that best predicts logs
which it has not seen. -o writes the servo as TOML, which `servo` of a motor and --servo read.

LOG is CSV with a header, JSON of BAM's form, or a trace. --columns names its columns, with units in
brackets: time [s, ms, us], goal and position [rad, deg, turn; m, mm of a slider], velocity [rad/s,
deg/s, rpm; m/s, mm/s], current [A, mA], voltage [V, mV], effort [N m], and torque, which is 1 while
the torque is on. Without it, columns are found by their usual names. Goals hold until the next row.
Lines `# key = value` of a CSV and keys of a JSON say kp, vin, mass, length, rod and motor; --gain,
--supply, --rig and --servo say it instead.

The rig is a pendulum, a mass at the end of a rod on a horizontal axis that hangs at 0, or the joint
of a world, whose motor becomes the servo. A world takes much longer: give it one of --models.

--apply writes the line `#servosim servo "…"` into the motor of a joint, and leaves the rest of
the world as it is: with -o the name of that file, which has to be next to the world or in another
folder that is searched for servos; without -o the numbers.

--check compares a servo with logs, without a fit: that of a file, or one of the catalogue, such as
XL330-M288-T/m6. The error is the mean over time of |simulated - measured position|.

Exit codes: 0 done; 1 a file cannot be written, or gnuplot is missing for a report; 2 a log, a servo
or an argument is wrong; 3 the world that is the rig lacks parts.

Examples:
  servosim fit a.json b.json --keep c.json -o mine.toml --report mine.html
  servosim fit log.csv --servo XL330-M288-T --rig pendulum:mass=0.49,length=0.1 --gain kp=400 \
    --supply 7.4 --columns 'time=t[ms], goal=cmd[deg], position=pos[deg]' -o mine.toml
  servosim fit a.json b.json -o worlds/mine.toml --apply worlds/arm.wbt:arm/shoulder
  servosim fit --check mine.toml c.json --json
)";

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
  add_assets(*command, arguments->assets);
  add_allow_missing(*command, arguments->allow_missing);
  command
      ->add_option("--rig", arguments->rig,
                   "What it moves: pendulum:mass=KG,length=M[,rod=KG], or a world (.wbt)")
      ->type_name("RIG");
  command->add_option("--joint", arguments->joint, "Of a world or a trace, the joint of the servo")
      ->type_name("NAME");
  add_integrator(*command, arguments->integrator);
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
      ->type_name("SERVO");
  command
      ->add_option("--apply", arguments->apply, "Write the servo into a world, as the motor's line")
      ->type_name("WORLD:JOINT");
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
  command->add_option("--starts", arguments->search.starts, "Searches of each model")
      ->type_name("N")
      ->check(number_between(1, 100, "number of searches"))
      ->capture_default_str();
  command->add_option("--generations", arguments->search.generations, "Generations of a search")
      ->type_name("N")
      ->check(number_between(1, 100000, "number of generations"))
      ->capture_default_str();
  command->add_option("--seed", arguments->search.seed, "Of the random numbers")
      ->type_name("N")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "Searches at a time, instead of one per core")
      ->type_name("N")
      ->check(number_between(1, 1024, "number of jobs"));
  command->add_flag("--json", arguments->json, "Print the result as JSON");
  command->callback([&action, arguments, command] {
    action = [arguments, command] {
      int exit_code = kExitOk;
      const int written = run_writer([&](Console& console) {
        for (const char* name :
             {"--keep", "-o", "--report", "--apply", "--servo", "--models", "--free", "--fix",
              "--load", "--starts", "--generations", "--seed", "--jobs"}) {
          if (!arguments->check.empty() && command->get_option(name)->count() > 0) {
            throw InputError(fmt::format("{} is for a fit, and --check makes none", name));
          }
        }
        exit_code = run_fit(*arguments, console);
      });
      return written != kExitOk ? written : exit_code;
    };
  });
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "controller_api/protocol/link.h"
#include "controller_api/server/session.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_writer.h"
#include "sim/world_control.h"

namespace servosim {

namespace {

// Returns the items of a list with separators; no items for null.
std::vector<std::string> parts_of(const char* text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text != nullptr ? text : "");
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

LoadOptions load_options(const EmbeddedSettings& settings) {
  LoadOptions options;
  options.proto_paths = parts_of(settings.proto_path, ':');
  if (settings.seed != nullptr) {
    const auto seed = parse_number<std::int64_t>(settings.seed);
    if (!seed || *seed < 0) {
      throw std::invalid_argument(std::string("SERVOSIM_SEED=") + settings.seed +
                                  " is not a whole number >= 0");
    }
    options.random_seed = seed;
  }
  return options;
}

// The world does not have the requested robot.
class NoRobot : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the robot that this program controls: the one with this name, or the only one.
// @throws NoRobot
int find_robot(Simulation& simulation, const char* name) {
  std::string names;
  for (int i = 0; i < simulation.robots().size(); ++i) {
    const std::string& known = simulation.robot(i).name();
    if (name != nullptr ? known == name : simulation.robots().size() == 1) {
      return i;
    }
    names += (names.empty() ? "\"" : ", \"") + known + '"';
  }
  if (names.empty()) {
    throw NoRobot("this world has no robot");
  }
  throw NoRobot(name != nullptr
                    ? "no robot is called \"" + std::string(name) + "\"; there is " + names
                    : "this world has several robots; set WEBOTS_ROBOT_NAME to one of " + names);
}

// Missing appearances are summarized in one line.
void print(const std::vector<Diagnostic>& diagnostics) {
  const auto is_of_looks = [](const Diagnostic& each) { return each.only_looks; };
  const auto looks = std::count_if(diagnostics.begin(), diagnostics.end(), is_of_looks);
  const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_of_looks);
  for (auto each = diagnostics.begin(); each != diagnostics.end(); ++each) {
    if (!each->only_looks || each == first) {
      const bool has_more = each == first && looks > 1;
      const std::string more = has_more ? fmt::format(" [and {} more like it]", looks - 1) : "";
      std::fprintf(stderr, "%s%s\n", printable(to_string(*each)).c_str(), more.c_str());
    }
  }
}

// Returns the lines of all errors, and prints the warnings.
std::string errors_of(const LoadError& error) {
  std::string lines;
  std::vector<Diagnostic> warnings;
  for (const Diagnostic& diagnostic : error.list()) {
    if (diagnostic.severity == Severity::Warning) {
      warnings.push_back(diagnostic);
    } else {
      lines += (lines.empty() ? "" : "\n") + printable(to_string(diagnostic));
    }
  }
  print(warnings);
  return lines;
}

// Reports why there is no simulation, or prints it.
void refuse(const EmbeddedSettings& settings, Refusal refusal, const std::exception& error) {
  if (settings.report != nullptr) {
    settings.report(settings.reason, refusal, error.what());
  } else {
    print_to_stderr("Error", error.what());
  }
}

// Warnings are printed before anything that may end the run, since they may explain its end.
Simulation loaded(const EmbeddedSettings& settings) {
  Simulation simulation(settings.world, load_options(settings));
  print(simulation.diagnostics());
  return simulation;
}

/// A simulation in the controller's own process; it advances inside receive().
class EmbeddedSimulation : public Link {
 public:
  explicit EmbeddedSimulation(const EmbeddedSettings& settings)
      : simulation_(loaded(settings)),
        session_(simulation_, find_robot(simulation_, settings.robot)) {
    if (settings.trace != nullptr) {
      // A comma in a name can be written as `?`.
      trace_.emplace(simulation_, settings.trace,
                     TraceOptions{parts_of(settings.watch, ','), settings.world});
    }
  }

  // The exit status is that of the program, so what the world lacks is printed at the end.
  ~EmbeddedSimulation() override {
    try {
      std::vector<MissingPart> missing;
      std::set<std::tuple<Missing, std::string, std::string>> known;
      const auto add = [&](const MissingPart& part) {
        if (known.emplace(part.kind, part.subject, part.remedy).second) {
          missing.push_back(part);
        }
      };
      for (const MissingPart& part : WorldControl(simulation_).take_missing()) {
        add(part);
      }
      for (const Diagnostic& diagnostic : simulation_.diagnostics()) {
        if (diagnostic.missing) {
          add(*diagnostic.missing);
        }
      }
      if (!missing.empty()) {
        print_to_stderr(
            "Warning",
            fmt::format("INCOMPLETE: the world may move otherwise than its author "
                        "meant; it lacks {}{}",
                        missing.front().subject,
                        missing.size() > 1 ? fmt::format(" and {} more", missing.size() - 1) : ""));
      }
    } catch (const std::exception&) {  // there is no memory for the message
    }
  }
  EmbeddedSimulation(const EmbeddedSimulation&) = delete;
  EmbeddedSimulation& operator=(const EmbeddedSimulation&) = delete;

  bool send(Bytes message) noexcept override {
    try {
      outcome_ = session_.receive(message);
    } catch (const std::exception& error) {
      fail(error.what());
    }
    return true;
  }

  Bytes receive() noexcept override {
    try {
      if (const auto requests = session_.take_requests()) {
        serve(*requests);
      }
      if (outcome_ == Session::Outcome::Quit) {
        session_.ending_answer();
      }
      while (session_.pending() && failure_.size() == 0) {
        advance();
      }
    } catch (const std::exception& error) {
      fail(error.what());
    }
    return failure_.size() == 0 ? session_.reply() : failure_.bytes();
  }

 private:
  void advance() {
    session_.settle();
    simulation_.step();
    if (trace_) {
      trace_->row();
    }
    if (std::exchange(reset_, false)) {
      WorldControl(simulation_).restart();
      session_.after_reset();
      if (trace_) {
        trace_->episode();
        trace_->row();
      }
    }
    session_.after_step();
  }

  // Does what a supervisor has requested from the run.
  void serve(const RunRequests& requests) {
    for (const TraceLabel& label : requests.labels) {
      if (trace_) {
        trace_->label(label);
      }
    }
    reset_ = reset_ || requests.reset;
    if (requests.load_world || requests.reload_world || !requests.restart_controllers.empty()) {
      std::fprintf(stderr,
                   "Warning: a controller that holds the simulation in its own process loads no "
                   "other world and starts no controllers; use servosim run.\n");
    }
    if (requests.load_world || requests.reload_world) {
      session_.ending_answer();
    }
  }

  void fail(const char* why) noexcept {
    try {
      encode_failure(failure_, why);
    } catch (...) {  // without memory only the session's last answer exists
    }
  }

  Simulation simulation_;
  Session session_;
  std::optional<Trace> trace_;  // its destructor writes the last rows
  Session::Outcome outcome_ = Session::Outcome::Answered;
  Writer failure_;      // an error for the controller; empty: none
  bool reset_ = false;  // whether to reset after the next step
};

}  // namespace

}  // namespace servosim

extern "C" __attribute__((visibility("default"))) servosim::Link* servosim_open_embedded(
    const servosim::EmbeddedSettings* settings) {
  using namespace servosim;
  if (settings->version != kEmbeddedVersion) {  // an older one may have no settings->report
    print_to_stderr("Error", "libController and libservosim are of different versions");
    return nullptr;
  }
  try {
    return new EmbeddedSimulation(*settings);
  } catch (const LoadError& error) {
    if (settings->report != nullptr) {
      settings->report(settings->reason, Refusal::World, errors_of(error).c_str());
    } else {
      print(error.list());
    }
  } catch (const NoRobot& error) {
    refuse(*settings, Refusal::Robot, error);
  } catch (const std::exception& error) {
    refuse(*settings, Refusal::Settings, error);
  }
  return nullptr;
}

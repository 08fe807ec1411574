// SPDX-License-Identifier: Apache-2.0
// What a host does for supervisors: other worlds, controllers that start anew, robots that come and
// go.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "run/controller_finder.h"
#include "run/run.h"
#include "scene/scene.h"

namespace servosim {

// True if something was done after which controllers are to be heard once more.
bool Host::obey() {
  for (const auto& controller : controllers_) {
    controller->settle();  // also of those whom this step does not wait for
  }
  SupervisorOrders orders;
  bool done = take_orders(orders);
  if ((orders.load_world || orders.reload_world) &&
      load_world(orders.load_world.value_or(simulation_.scene().world_path))) {
    return true;
  }
  reset_due_ = reset_due_ || orders.reset;
  done = (simulation_.tree_version() != tree_version_ && attend_to_tree(orders)) || done;
  if (!orders.restart_controllers.empty()) {
    restart_controllers(orders.restart_controllers);
  }
  return done;
}

// Of all supervisors; the world of the last one counts.
bool Host::take_orders(SupervisorOrders& orders) {
  bool any = orders_.has_value();
  orders = std::exchange(orders_, std::nullopt).value_or(SupervisorOrders{});
  for (const auto& controller : controllers_) {
    std::optional<SupervisorOrders> its = controller->take_orders();
    if (!its) {
      continue;
    }
    any = true;
    for (const TraceLabel& label : its->labels) {
      if (trace_) {
        trace_->label(label);
      }
    }
    orders.load_world = its->load_world ? its->load_world : orders.load_world;
    orders.reload_world = orders.reload_world || its->reload_world;
    orders.reset = orders.reset || its->reset;
    for (Robot* const robot : its->restart_controllers) {
      if (std::find(orders.restart_controllers.begin(), orders.restart_controllers.end(), robot) ==
          orders.restart_controllers.end()) {
        orders.restart_controllers.push_back(robot);
      }
    }
  }
  return any;
}

// What its controller depends on. An option keeps its say, whatever the field.
Host::ControllerBinding Host::acquaintance(const Robot& robot) {
  const ControllerOverride* const option = option_for(robot);
  ControllerBinding known{
      &robot, option != nullptr ? option->program : robot.spec().controller, {}};
  if (known.controller != "<extern>" && !means_no_controller(known.controller)) {
    known.arguments = robot.spec().controller_args;
  }
  return known;
}

// Robots that have left the world lose their controllers, and those that are new get theirs; who is
// to have another one is added to the orders.
bool Host::attend_to_tree(SupervisorOrders& orders) {
  tree_version_ = simulation_.tree_version();
  std::vector<HostedController*> without_robot;
  for (const auto& controller : controllers_) {
    if (controller->robot().index() < 0) {
      without_robot.push_back(controller.get());
    }
  }
  dismiss(without_robot);
  std::vector<int> strangers;
  bool others = false;
  std::vector<Robot*>& anew = orders.restart_controllers;
  for (int r = 0; r < simulation_.robot_count(); ++r) {
    Robot& robot = simulation_.robot(r);
    const auto known = std::find_if(met_.begin(), met_.end(),
                                    [&](const ControllerBinding& a) { return a.robot == &robot; });
    if (known == met_.end()) {
      strangers.push_back(r);
    } else if (acquaintance(robot) != *known) {
      others = true;
      if (std::find(anew.begin(), anew.end(), &robot) == anew.end()) {
        anew.push_back(&robot);
      }
    }
  }
  start(plan(strangers));
  return others || !without_robot.empty() || !strangers.empty();
}

void Host::restart_controllers(const std::vector<Robot*>& robots) {
  std::vector<HostedController*> theirs;
  std::vector<int> indices;
  for (const Robot* const robot : robots) {
    if (robot->index() >= 0) {
      indices.push_back(robot->index());
    }
    for (const auto& controller : controllers_) {
      if (&controller->robot() == robot) {
        theirs.push_back(controller.get());
      }
    }
  }
  dismiss(theirs);
  start(plan(indices));
}

// Ends them as at the end of a run.
void Host::dismiss(const std::vector<HostedController*>& controllers) {
  if (controllers.empty()) {
    return;
  }
  end_these(controllers);
  for (HostedController* const gone : controllers) {
    const auto at = std::find_if(controllers_.begin(), controllers_.end(),
                                 [gone](const auto& known) { return known.get() == gone; });
    if (gone->failed()) {
      failed_ = true;
    }
    controllers_.erase(at);
  }
}

// After a step, whose row is still of what went before.
void Host::reset() {
  reset_due_ = false;
  if (trace_) {
    trace_->row();
    trace_->episode();
    traced_ = true;
  }
  const double before = simulation_.time();
  simulation_.restart();
  begin_episode(before);
  for (const auto& controller : controllers_) {
    controller->after_reset();
  }
  for (RunExtension* const extension : extensions_) {
    extension->after_reset();
  }
}

// Time begins anew, after so many s of the episode before.
void Host::begin_episode(double seconds) {
  seconds_before_ += seconds;
  if (pace_) {
    pace_.emplace(*options_.realtime_factor);
    last_step_.reset();
  }
}

bool Host::load_world(const std::string& path) {
  const auto refuse = [this](const std::string& why) {
    console_.log(LogLevel::Error, why);
    failed_ = true;
    return false;
  };
  if (!options_.load_world || !extensions_.empty()) {
    return refuse(fmt::format("a supervisor asks for the world '{}': {}", path,
                              extensions_.empty()
                                  ? "this run can have no other world"
                                  : "no other world can be loaded while clients take part"));
  }
  try {
    Simulation next = options_.load_world(path);
    dismiss(everyone());
    const double before = simulation_.time();
    simulation_ = std::move(next);
    begin_episode(before);
  } catch (const LoadError& error) {
    for (const Diagnostic& diagnostic : error.list()) {
      console_.log(diagnostic.severity == Severity::Error ? LogLevel::Error : LogLevel::Warning,
                   to_string(diagnostic));
    }
    return refuse(fmt::format("the world '{}' cannot be loaded; the present one goes on", path));
  }
  if (trace_) {
    trace_->go_on_with(simulation_);
  }
  reset_due_ = false;
  if (options_.on_load) {
    options_.on_load();
  }
  options_of_.clear();
  start(plan(all_robots()));
  plan_end(!controllers_.empty());
  return true;
}

}  // namespace servosim

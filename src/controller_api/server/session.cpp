// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/assert.h"
#include "base/limits.h"
#include "base/printable.h"
#include "controller_api/server/supervisor/supervisor_server.h"
#include "scene/scene.h"
#include "scene/scene_builder.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

}  // namespace

Session::Session(Simulation& simulation, int robot, SessionOptions options)
    : simulation_(simulation),
      options_(options),
      robot_(simulation.robot(robot)),
      tree_version_(WorldInspector(simulation).tree_version()),
      custom_data_(simulation, robot_, options_.custom_data),
      descriptions_(robot_),
      samples_(simulation, robot_, options.shares_memory),
      device_commands_(simulation, robot_, descriptions_, samples_) {
  follow_supervisor();
}

// @returns whether the field has changed
bool Session::follow_supervisor() {
  const bool is_one = !over() && robot_.spec().supervisor;
  if (is_one && supervisor_ == nullptr) {
    supervisor_ = std::make_unique<SupervisorServer>(simulation_, robot_, run_requests_);
  }
  return std::exchange(is_supervisor_, is_one) != is_one && !over();
}

Session::~Session() = default;

Session::Outcome Session::receive(Bytes message) {
  if (pending()) {
    return garbage("a message before the last one was answered");
  }
  const Request request = decode_request(message, commands_);
  if (!started() && !std::holds_alternative<Hello>(request) &&
      !std::holds_alternative<ProtocolError>(request)) {
    return garbage("a message before the hello");
  }
  return std::visit([this](const auto& part) { return handle(part); }, request);
}

Session::Outcome Session::handle(const Hello& hello) {
  if (hello.version != kProtocolVersion) {
    return garbage("the controller was linked with another version of libController");
  }
  if (started()) {
    return garbage("a second hello");
  }
  state_ = State::Idle;
  write_welcome();
  return Outcome::Answered;
}

void Session::write_welcome() {
  const RobotSpec& spec = robot_.spec();
  const std::string arguments = joined(spec.controller_args);
  Welcome welcome;
  welcome.spin = options_.spin;
  welcome.robot_name = spec.given_name;
  welcome.model = spec.model;
  welcome.custom_data = custom_data_.text();
  welcome.controller = spec.controller;
  welcome.controller_arguments = arguments;
  welcome.world_path = WorldInspector(simulation_).scene().world_path;
  welcome.project_path = WorldInspector(simulation_).scene().project;
  welcome.basic_time_step_ms = simulation_.basic_time_step_ms();
  welcome.time = simulation_.time();
  welcome.synchronization = spec.synchronization;
  welcome.supervisor = spec.supervisor;
  welcome.has_battery = !spec.battery.empty();
  welcome.gps_in_degrees = WorldInspector(simulation_).scene().world.gps_in_degrees;
  if (const DifferentialWheels* wheels = robot_.wheels()) {
    welcome.has_wheels = true;
    welcome.max_speed = wheels->max_speed();
    welcome.speed_unit = wheels->speed_unit();
  }
  descriptions_.describe_all(welcome);
  encode_welcome(writer_, welcome);
  refuse_long_reply();
}

Session::Outcome Session::handle(const StepRequest& request) {
  const bool had_quit = quit_status_.has_value();
  try {
    for (const DeviceCommand& command : request.commands) {
      if (!over()) {
        apply(command);
      }
    }
  } catch (const std::invalid_argument& error) {
    return garbage(error.what());
  }
  if (request.duration_ms > 0) {
    settle();
  }
  const bool quits = !had_quit && quit_status_.has_value();
  if (over() || (quits && request.duration_ms > 0)) {
    write_answer(-1);
    return quits ? Outcome::Quit : Outcome::Answered;
  }
  if (request.duration_ms == 0) {
    write_answer(0);
    return quits ? Outcome::Quit : Outcome::Answered;
  }
  begin_step(request.duration_ms);
  return Outcome::Pending;
}

Session::Outcome Session::handle(const UrdfRequest& request) {
  if (over()) {
    encode_text(writer_, {});
    return Outcome::Answered;
  }
  encode_text(writer_, to_urdf(WorldInspector(simulation_).scene(), robot_.index(),
                               std::string(request.prefix)));
  refuse_long_reply();
  return Outcome::Answered;
}

Session::Outcome Session::handle(const Goodbye&) {
  writer_.clear();
  return Outcome::Bye;
}

Session::Outcome Session::handle(const ProtocolError& error) { return garbage(error.text); }

Session::Outcome Session::garbage(std::string error) {
  error_ = std::move(error);
  state_ = pending() ? State::Idle : state_;
  encode_failure(writer_, "the simulator does not understand this controller: " + error_);
  return Outcome::Garbage;
}

void Session::apply(const DeviceCommand& command) {
  if (target_of(command.kind) == CommandTarget::Robot) {
    apply_to_robot(command);
  } else {
    device_commands_.apply(command);
  }
}

void Session::apply_to_robot(const DeviceCommand& command) {
  if (command.tag != 0) {
    throw std::invalid_argument("a command of the robot for one of its devices");
  }
  switch (command.kind) {
    case CommandKind::BatterySampling:
      if (!robot_.spec().battery.empty()) {
        samples_.enable_battery(command.integer);
      }
      return;
    case CommandKind::Pin:
      return simulation_.solid(simulation_.robot(robot_.index()).solid()).pin(command.integer != 0);
    case CommandKind::CustomData:
      return custom_data_.set(command.text);
    default:
      SERVOSIM_ASSERT(command.kind == CommandKind::Quit, "command {} is not of the robot",
                      name_of(command.kind));
      if (supervisor_ == nullptr) {
        throw std::invalid_argument("a quit from a robot that is no supervisor");
      }
      if (robot_.spec().supervisor) {
        quit_status_ = command.integer;
      }
  }
}

void Session::begin_step(int duration_ms) {
  SERVOSIM_ASSERT(state_ == State::Idle, "a step of {} ms is requested in state {}", duration_ms,
                  static_cast<int>(state_));
  warn_of_odd_step(duration_ms);
  const double now = elapsed_ms();
  const double elapsed = request_ms_ ? now - *request_ms_ : 0.0;
  // In the C API the excess is a whole number of ms, but times are sums with rounding errors.
  delay_ms_ = static_cast<int>(std::max(0.0, elapsed - duration_ms) + 1e-6);
  request_ms_ = now;
  due_ms_ = now + duration_ms;
  state_ = State::Pending;
}

// Warns once of a step that is no multiple of the time step. Such a step ends with the first time
// step at or after its end.
void Session::warn_of_odd_step(int duration_ms) {
  const double steps = duration_ms / simulation_.basic_time_step_ms();
  if (std::abs(steps - std::round(steps)) > 1e-9 * steps && !std::exchange(told_of_step_, true)) {
    WorldControl(simulation_)
        .report(fmt::format("robot \"{}\": its control step of {} ms is no "
                            "multiple of basicTimeStep, {} ms: what it "
                            "asks for comes up to a time step late",
                            robot_.name(), duration_ms, simulation_.basic_time_step_ms()));
  }
}

bool Session::after_step() {
  ++steps_;
  samples_.after_step();
  if (!pending() || !(over() || is_due(elapsed_ms(), due_ms_))) {
    return false;
  }
  state_ = State::Idle;
  write_answer(over() ? -1 : delay_ms_);
  return true;
}

void Session::after_reset() { samples_.after_reset(); }

Bytes Session::ending_answer() {
  ending_ = true;
  if (!pending()) {
    return {};
  }
  state_ = State::Idle;
  write_answer(-1);
  return reply();
}

void Session::write_answer(int result) {
  SERVOSIM_ASSERT(state_ == State::Idle, "an answer in state {}", static_cast<int>(state_));
  const bool other_tree = tree_version_ != WorldInspector(simulation_).tree_version();
  if (other_tree) {
    tree_version_ = WorldInspector(simulation_).tree_version();
    samples_.add_new_devices();
  }
  encode_answer(writer_, {result, simulation_.time()});
  descriptions_.write_new(writer_);
  samples_.write_samples(writer_);
  descriptions_.write_changes(writer_, other_tree);
  samples_.write_packets(writer_);
  if (custom_data_.follow_tree()) {
    Reading reading;
    reading.kind = ReadingKind::CustomData;
    reading.text = custom_data_.text();
    encode_reading(writer_, reading);
  }
  if (follow_supervisor()) {
    Reading reading;
    reading.kind = ReadingKind::Supervisor;
    reading.numbers[0] = is_supervisor_ ? 1.0 : 0.0;
    encode_reading(writer_, reading);
  }
  if (supervisor_ != nullptr && !over()) {
    supervisor_->write_tracked(writer_, time_ms(simulation_));
  }
  samples_.write_drawn(writer_);
  samples_.write_objects(writer_);
  if (!refuse_long_reply()) {
    samples_.write_pictures(writer_);
  }
}

// Replaces a reply that is too long by a Failure, since the controller would refuse it and assume
// that the simulation has ended.
bool Session::refuse_long_reply() {
  const bool is_long = writer_.size() > kMaxMessage;
  if (is_long) {
    encode_failure(writer_, "the simulator's answer of " + std::to_string(writer_.size()) +
                                " bytes is too long; the limit is " + std::to_string(kMaxMessage));
  }
  return is_long;
}

// Returns the time since the session began [ms], which a reset does not set back.
double Session::elapsed_ms() const {
  return static_cast<double>(steps_) * simulation_.basic_time_step_ms();
}

Session::Outcome Session::handle(const SupervisorRequest& request) {
  if (supervisor_ == nullptr) {
    return garbage("a question of a robot that is no supervisor");
  }
  if (!over() && !robot_.spec().supervisor) {
    encode_failure(writer_, "this robot is no supervisor any more.");
    return Outcome::Answered;
  }
  if (over()) {
    encode_failure(writer_,
                   ending_ ? "the simulation is over." : "the robot is no longer in the world.");
    return Outcome::Answered;
  }
  supervisor_->answer(request, writer_);
  refuse_long_reply();
  return Outcome::Answered;
}

// The function answers no message, so that errors go to stderr.
void Session::settle() {
  try {
    if (supervisor_ != nullptr) {
      supervisor_->settle();
    }
  } catch (const std::exception& error) {
    print_to_stderr("Error", "supervisor \"" + robot_.name() + "\": " + error.what());
  }
}

}  // namespace servosim

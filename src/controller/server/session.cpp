// SPDX-License-Identifier: Apache-2.0
#include "controller/server/session.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "base/limits.h"
#include "base/printable.h"
#include "controller/server/custom_data.h"
#include "controller/server/supervisor/supervisor_server.h"
#include "scene/scene.h"
#include "scene/scene_builder.h"

namespace servosim {

namespace {

Reading reading_of(std::uint16_t tag, ReadingKind kind, std::span<const double> values) {
  Reading reading{tag, kind, {}, static_cast<std::uint8_t>(values.size())};
  std::copy(values.begin(), values.end(), reading.numbers.begin());
  return reading;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

// That of the controller before, else what a supervisor wrote, else what the file says.
std::string initial_custom_data(const Simulation& simulation, const Robot& robot,
                                const SessionOptions& options) {
  const std::string* written = custom_data_of(simulation, robot.spec().node);
  return options.custom_data  ? *options.custom_data
         : written != nullptr ? *written
                              : robot.spec().custom_data;
}

}  // namespace

Session::Session(Simulation& simulation, int robot, SessionOptions options)
    : simulation_(simulation),
      options_(options),
      robot_(simulation.robot(robot)),
      tree_version_(simulation.tree_version()),
      custom_data_(initial_custom_data(simulation, robot_, options_)),
      seen_tree_(simulation.world_file()) {
  add_channels();
  if (robot_.spec().supervisor) {
    supervisor_ = std::make_unique<SupervisorServer>(simulation, robot_, run_requests_);
  }
}

Session::~Session() = default;

void Session::add_channels() {
  const auto single = [](const Sampler& sampler) {
    return std::span<const double>(&sampler.value(), 1);
  };
  if (channels_.empty()) {
    add_channel(0, ReadingKind::Battery, battery_, single(battery_));
    if (const DifferentialWheels* wheels = robot_.wheels()) {
      add_channel(0, ReadingKind::Sample, wheels->sampler(), wheels->encoders());
    }
  }
  for (std::size_t i = known_devices_; i < robot_.devices().size(); ++i) {
    const Device& device = robot_.devices()[i];
    const auto tag = static_cast<std::uint16_t>(i + 1);
    if (device.sensor != nullptr) {
      const Sampler& sampler = device.sensor->sampler();
      add_channel(tag, ReadingKind::Sample, sampler, single(sampler));
    }
    if (device.motor != nullptr) {
      const Sampler& sampler = device.motor->feedback();
      add_channel(tag, ReadingKind::ForceFeedback, sampler, single(sampler));
    }
    if (device.solid_sensor != nullptr) {
      add_channel(tag, ReadingKind::Sample, device.solid_sensor->sampler(),
                  device.solid_sensor->values());
    }
    add_radio(tag, device);
    if (device.connector != nullptr) {
      const Sampler& presence = device.connector->presence_sampler();
      add_channel(tag, ReadingKind::Sample, presence, single(presence));
    }
  }
  known_devices_ = robot_.devices().size();
}

void Session::add_channel(std::uint16_t tag, ReadingKind kind, const Sampler& sampler,
                          std::span<const double> values) {
  channels_.push_back({tag, kind, &sampler, values, sampler.count()});
}

Session::Outcome Session::receive(Bytes message) {
  if (pending_) {
    return garbage("a message before the last one was answered");
  }
  const Request request = decode_request(message, commands_);
  if (!started_ && !std::holds_alternative<Hello>(request) &&
      !std::holds_alternative<ProtocolError>(request)) {
    return garbage("a message before the hello");
  }
  return std::visit([this](const auto& part) { return handle(part); }, request);
}

Session::Outcome Session::handle(const Hello& hello) {
  if (hello.version != kProtocolVersion) {
    return garbage("the controller was linked with another version of libController");
  }
  if (started_) {
    return garbage("a second hello");
  }
  started_ = true;
  const RobotSpec& spec = robot_.spec();
  const std::string arguments = joined(spec.controller_args);
  Welcome welcome;
  welcome.spin = options_.spin;
  welcome.robot_name = spec.given_name;
  welcome.model = spec.model;
  welcome.custom_data = custom_data_;
  welcome.controller = spec.controller;
  welcome.controller_arguments = arguments;
  welcome.world_path = simulation_.scene().world_path;
  welcome.project_path = simulation_.scene().project;
  welcome.basic_time_step_ms = simulation_.basic_time_step_ms();
  welcome.time = simulation_.time();
  welcome.synchronization = spec.synchronization;
  welcome.supervisor = spec.supervisor;
  welcome.has_battery = !spec.battery.empty();
  welcome.gps_in_degrees = simulation_.scene().world.gps_in_degrees;
  if (const DifferentialWheels* wheels = robot_.wheels()) {
    welcome.has_wheels = true;
    welcome.max_speed = wheels->max_speed();
    welcome.speed_unit = wheels->speed_unit();
  }
  introduce_devices(welcome);
  encode_welcome(writer_, welcome);
  refuse_long_reply();
  return Outcome::Answered;
}

Session::Outcome Session::handle(const StepRequest& request) {
  const bool had_quit = quit_status_.has_value();
  try {
    for (const Command& command : request.commands) {
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
  ask_for_step(request.duration_ms);
  return Outcome::Pending;
}

Session::Outcome Session::handle(const UrdfRequest& request) {
  if (over()) {
    encode_text(writer_, {});
    return Outcome::Answered;
  }
  encode_text(writer_, to_urdf(simulation_.scene(), robot_.index(), std::string(request.prefix)));
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
  pending_ = false;
  encode_failure(writer_, "the simulator does not understand this controller: " + error_);
  return Outcome::Garbage;
}

void Session::ask_for_step(int duration_ms) {
  const double now = elapsed_ms();
  const double elapsed = request_ms_ ? now - *request_ms_ : 0.0;
  // The excess is a whole number of ms in the C API; times are sums with rounding errors.
  delay_ms_ = static_cast<int>(std::max(0.0, elapsed - duration_ms) + 1e-6);
  request_ms_ = now;
  due_ms_ = now + duration_ms;
  pending_ = true;
}

bool Session::after_step() {
  ++steps_;
  if (const double now = now_ms(); battery_.due(now)) {
    battery_.store(charge(), now);
  }
  if (!pending_ || !(over() || is_due(elapsed_ms(), due_ms_))) {
    return false;
  }
  pending_ = false;
  write_answer(over() ? -1 : delay_ms_);
  return true;
}

void Session::after_reset() {
  battery_.enable(battery_.period_ms(), now_ms());
  for (Channel& channel : channels_) {
    channel.sent = channel.sampler->count();
  }
}

Bytes Session::ending_answer() {
  ending_ = true;
  if (!pending_) {
    return {};
  }
  pending_ = false;
  write_answer(-1);
  return reply();
}

void Session::write_answer(int result) {
  const bool other_tree = tree_version_ != simulation_.tree_version();
  if (other_tree) {
    tree_version_ = simulation_.tree_version();
    add_channels();
  }
  encode_answer(writer_, {result, simulation_.time()});
  introduce_new_devices();
  for (Channel& channel : channels_) {
    if (channel.sent != channel.sampler->count()) {
      channel.sent = channel.sampler->count();
      encode_reading(writer_, reading_of(channel.tag, channel.kind, channel.values));
    }
  }
  tell_setups(other_tree);
  write_radio();
  follow_custom_data();
  if (supervisor_ != nullptr && !over()) {
    supervisor_->write_tracked(writer_, now_ms());
  }
  refuse_long_reply();
}

// Nobody would take it: the controller would see a simulator that is gone.
void Session::refuse_long_reply() {
  if (writer_.size() > kMaxMessage) {
    encode_failure(writer_, "the simulator's answer of " + std::to_string(writer_.size()) +
                                " bytes is too long; the limit is " + std::to_string(kMaxMessage));
  }
}

double Session::now_ms() const {
  return static_cast<double>(simulation_.step_count()) * simulation_.basic_time_step_ms();
}

// Since the session began, whatever took time back.
double Session::elapsed_ms() const {
  return static_cast<double>(steps_) * simulation_.basic_time_step_ms();
}

// What is left in the battery [J]; a negative number, which is not simulated, stays as it is.
double Session::charge() const {
  return robot_.battery() != nullptr ? robot_.battery()->energy() : robot_.spec().battery.front();
}

// Commands for devices that are neither motors nor sensors.

void Session::apply_to_wheels(const Command& command) {
  DifferentialWheels* wheels = robot_.wheels();
  if (command.tag != 0 || wheels == nullptr) {
    throw std::invalid_argument("a command of a DifferentialWheels for something else");
  }
  switch (command.kind) {
    case CommandKind::WheelSpeeds:
      return wheels->set_speed(command.numbers[0], command.numbers[1]);
    case CommandKind::SetEncoders:
      return wheels->set_encoders(command.numbers[0], command.numbers[1]);
    default:
      return wheels->enable_encoders(command.integer, now_ms());
  }
}

void Session::apply_to_connector(const Command& command) {
  const Device& found = device(command);
  if (found.connector == nullptr) {
    throw std::invalid_argument("a connector command for a device that is no connector");
  }
  command.integer != 0 ? found.connector->lock() : found.connector->unlock();
  tell_again(command, found.node_type == "VacuumGripper" ? "isOn" : "isLocked");
}

void Session::apply_to_led(const Command& command) {
  const Device& found = device(command);
  if (found.led == nullptr) {
    throw std::invalid_argument("an LED command for a device that is no LED");
  }
  found.led->set(command.integer);
  tell_again(command, kLedValue);  // a reset after the step may take it back
}

// Session: what concerns supervisors.

Session::Outcome Session::handle(const SupervisorRequest& request) {
  if (supervisor_ == nullptr) {
    return garbage("a question of a robot that is no supervisor");
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

// No message is answered here: errors go to stderr.
void Session::settle() {
  try {
    if (supervisor_ != nullptr) {
      supervisor_->settle();
    }
  } catch (const std::exception& error) {
    print_to_stderr("Error", "supervisor \"" + robot_.name() + "\": " + error.what());
  }
}

// A supervisor may look at it.
void Session::share_custom_data() {
  const auto& robots = simulation_.scene().robots;
  if (robot_.index() >= 0 &&
      std::any_of(robots.begin(), robots.end(), [](const RobotSpec& r) { return r.supervisor; })) {
    set_custom_data(simulation_, robot_.spec().node, custom_data_);
    seen_tree_ = simulation_.world_file();
  }
}

// A supervisor may have changed it.
void Session::follow_custom_data() {
  if (seen_tree_ == simulation_.world_file() || robot_.index() < 0) {
    return;
  }
  seen_tree_ = simulation_.world_file();
  const std::string* now = custom_data_of(simulation_, robot_.spec().node);
  if (now != nullptr && *now != custom_data_) {
    custom_data_ = *now;
    Reading reading;
    reading.kind = ReadingKind::CustomData;
    reading.text = custom_data_;
    encode_reading(writer_, reading);
  }
}

}  // namespace servosim

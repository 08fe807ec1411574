// SPDX-License-Identifier: Apache-2.0
#include "view/live/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "recording/recording_format.h"
#include "recording/recording_stream.h"
#include "servosim/motor.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim {

namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr auto kFrameInterval = 40ms;  // intervals in wall time
constexpr std::chrono::duration<double> kPictureInterval(1.0 / kPictureRate);
constexpr double kMinSpeed = 1e-3;
constexpr double kMaxSpeed = 1e3;
constexpr double kFast = std::numeric_limits<double>::infinity();
constexpr char kStatusRecord = 'L';

}  // namespace

/// The body of a control request.
struct LiveView::Command {
  enum class Do { Pause, Go, Step, Reset, Speed, Motor };
  Do action = Do::Pause;
  double factor = kFast;
  std::string joint;
  std::optional<double> position;  // infinite means control by velocity
  std::optional<double> velocity;
  std::optional<double> effort;

  /// @throws std::invalid_argument with what is wrong
  static Command read(const std::string& body);
};

LiveView::Command LiveView::Command::read(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("do") || !json["do"].is_string()) {
    throw std::invalid_argument("the body is no JSON object with a text \"do\"");
  }
  const auto number = [&](const char* key, double of_null) -> std::optional<double> {
    if (!json.contains(key)) {
      return std::nullopt;
    }
    const Json& value = json[key];
    if (!value.is_number() && !value.is_null()) {
      throw std::invalid_argument(fmt::format("\"{}\" is no number", key));
    }
    return value.is_null() ? of_null : value.get<double>();
  };
  static constexpr std::pair<std::string_view, Do> kActions[]{
      {"pause", Do::Pause}, {"go", Do::Go},       {"step", Do::Step},
      {"reset", Do::Reset}, {"speed", Do::Speed}, {"motor", Do::Motor}};
  const std::string name = json["do"];
  const auto* const known = std::find_if(std::begin(kActions), std::end(kActions),
                                         [&](const auto& each) { return each.first == name; });
  if (known == std::end(kActions)) {
    throw std::invalid_argument("\"do\" is pause, go, step, reset, speed or motor");
  }
  Command command;
  command.action = known->second;
  if (command.action == Do::Speed) {
    command.factor = number("factor", kFast).value_or(0.0);
    if (command.factor != kFast && !(command.factor >= kMinSpeed && command.factor <= kMaxSpeed)) {
      throw std::invalid_argument(
          fmt::format("\"factor\" is a number from {} to {}, or null", kMinSpeed, kMaxSpeed));
    }
  }
  if (command.action == Do::Motor) {
    if (!json.contains("joint") || !json["joint"].is_string()) {
      throw std::invalid_argument("\"joint\" is the name of a joint");
    }
    command.joint = json["joint"];
    command.position = number("position", kFast);
    command.velocity = number("velocity", 0.0);
    command.effort = number("effort", 0.0);
  }
  return command;
}

LiveView::LiveView(Simulation& simulation, LiveViewOptions options)
    : simulation_(simulation),
      options_(std::move(options)),
      source_(simulation,
              {std::filesystem::path(WorldInspector(simulation).scene().world_path).filename(),
               std::chrono::duration<double>(kFrameInterval).count()}) {
  tell_status();
  add_frame();
  server_.emplace(options_.server, stream_,
                  options_.has_control
                      ? [this](const std::string& body,
                               const LiveServer::Answer& answer) { request(body, answer); }
                      : LiveServer::Control());
}

LiveView::~LiveView() {
  try {
    if (simulation_.time() != shown_time_ && !WorldInspector(simulation_).is_over()) {
      add_frame();
    }
    records_.clear();
    append_end(simulation_, simulation_.time(), "the run has ended", records_);
    stream_.end(std::string(as_text(records_.bytes())));
  } catch (const std::exception&) {  // lack of memory; the end of the connection also tells the end
    stream_.end("E");
  }
}

// Runs in the server's thread.
void LiveView::request(const std::string& body, const LiveServer::Answer& answer) {
  try {
    const Command command = Command::read(body);
    tasks_.push([this, command, answer] { answer(execute(command)); });
  } catch (const std::invalid_argument& error) {
    answer(error.what());
  }
}

std::optional<std::string> LiveView::execute(const Command& command) {
  switch (command.action) {
    case Command::Do::Pause:
      is_paused_ = true;
      steps_ = 0;
      break;
    case Command::Do::Go:
      is_paused_ = false;
      resume(speed_);
      break;
    case Command::Do::Step:
      is_paused_ = true;
      ++steps_;
      resume(speed_);
      break;
    case Command::Do::Reset:
      changes_.reset = true;
      steps_ += is_paused_ ? 1 : 0;
      break;
    case Command::Do::Speed:
      resume(command.factor);
      break;
    case Command::Do::Motor:
      return set_motor(command);
  }
  tell_status();
  return std::nullopt;
}

// This also sets the speed if it is unchanged, since the clock may have been stopped.
void LiveView::resume(double speed) {
  speed_ = speed;
  changes_.speed = speed;
}

std::optional<std::string> LiveView::set_motor(const Command& command) {
  Motor* motor = nullptr;
  try {
    const int joint =
        WorldInspector(simulation_).joint_in_scene(simulation_.joint(command.joint).index());
    motor = WorldControl(simulation_).motor_of(joint);
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  if (motor == nullptr) {
    return fmt::format("no motor moves the joint '{}'", command.joint);
  }
  try {
    if (command.effort) {
      motor->set_available_force(*command.effort);
    }
    if (command.position) {
      motor->set_position(*command.position);
    }
    if (command.velocity) {
      motor->set_velocity(*command.velocity);
    }
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return std::nullopt;
}

void LiveView::tell_status() {
  const Json json{{"paused", is_paused_},
                  {"speed", std::isfinite(speed_) ? Json(speed_) : Json()},
                  {"control", options_.has_control}};
  records_.clear();
  RecordingStream::append(records_, kStatusRecord, as_bytes(json.dump()));
  stream_.set_status(std::string(as_text(records_.bytes())));
}

void LiveView::begin(std::optional<double> realtime_factor) {
  speed_ = realtime_factor.value_or(kFast);
  tell_status();
}

void LiveView::serve() {
  tasks_.serve();
  if (is_paused_ && steps_ == 0 && simulation_.time() != shown_time_) {
    add_frame();  // the state in which the run is paused
  }
}

RunChanges LiveView::take_changes() { return std::exchange(changes_, {}); }

void LiveView::after_step() {
  if (is_paused_) {
    --steps_;
    add_frame();
  } else if (Clock::now() >= next_frame_) {
    add_frame();
  }
}

void LiveView::after_load() {
  source_.go_on_with(simulation_);
  pictures_.go_on();
  add_frame();
}

void LiveView::add_frame() {
  next_frame_ = Clock::now() + kFrameInterval;
  shown_time_ = simulation_.time();
  records_.clear();
  source_.add_frame(shown_time_, records_);
  const Clock::time_point now = Clock::now();
  if (is_paused_ || (stream_.is_watched() && now >= next_pictures_)) {
    next_pictures_ = now + std::chrono::duration_cast<Clock::duration>(kPictureInterval);
    pictures_.add_pictures(simulation_, shown_time_, records_);
  }
  Reader records(records_.bytes());
  std::string_view scene;
  if (static_cast<char>(records.u8()) == kSceneRecord) {
    scene = as_text(records_.bytes().first(5 + std::size_t{records.u32()}));
  }
  stream_.add_frame(std::string(scene),
                    std::string(as_text(records_.bytes()).substr(scene.size())));
}

}  // namespace servosim

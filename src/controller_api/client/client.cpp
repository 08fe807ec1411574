// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/client.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "controller_api/client/point_cloud.h"
#include "controller_api/client/supervisor_refs.h"

namespace servosim {

void warn(const std::string& text) { print_to_stderr("Warning", text); }

ControllerClient::~ControllerClient() = default;

ControllerClient::ControllerClient(std::unique_ptr<Link> link)
    : link_(std::move(link)), supervisor_refs_(std::make_unique<SupervisorRefs>()) {
  encode_hello(writer_, Hello{});
  const Bytes answer = link_->send(writer_.bytes()) ? link_->receive() : Bytes{};
  if (answer.empty()) {
    throw std::runtime_error("the simulator does not answer");
  }
  Reader readings({});
  const SimulationReply reply = decode_reply(answer, readings);
  if (const Failure* failure = std::get_if<Failure>(&reply)) {
    throw std::runtime_error(std::string(failure->text));
  }
  const Welcome* welcome = std::get_if<Welcome>(&reply);
  if (welcome == nullptr) {
    throw std::runtime_error("the simulator sends no welcome: it is of another version");
  }
  set_robot(*welcome);
}

void ControllerClient::set_robot(const Welcome& welcome) {
  robot_.name = welcome.robot_name;
  robot_.model = welcome.model;
  robot_.custom_data = welcome.custom_data;
  robot_.controller = welcome.controller;
  robot_.controller_arguments = welcome.controller_arguments;
  robot_.world_path = welcome.world_path;
  robot_.project_path = welcome.project_path;
  robot_.basic_time_step_ms = welcome.basic_time_step_ms;
  robot_.time = welcome.time;
  robot_.synchronization = welcome.synchronization;
  robot_.supervisor = welcome.supervisor;
  robot_.has_battery = welcome.has_battery;
  robot_.gps_in_degrees = welcome.gps_in_degrees;
  robot_.wheels.exist = welcome.has_wheels;
  robot_.wheels.max_speed = welcome.max_speed;
  robot_.wheels.speed_unit = welcome.speed_unit;
  for (const WelcomeDevice& device : welcome.devices) {
    devices_.add(device);
  }
  link_->set_spin(welcome.spin);
}

void ControllerClient::report_error(const char* why) const {
  print_to_stderr("Error", why, function_);
}

int ControllerClient::step(Lock& lock, int duration_ms) {
  return begin_step(lock, duration_ms) < 0 ? -1 : end_step(lock);
}

int ControllerClient::begin_step(Lock& lock, int duration_ms) {
  wait_until_idle(lock);
  check_alive();
  if (begun_) {
    warn("wb_robot_step_begin() called again before wb_robot_step_end().");
    end_step(lock);
  }
  if (end_reported_) {
    throw Ending(EndingKind::Over, "");
  }
  begun_ = link_ != nullptr && send_step(duration_ms);
  end_reported_ = !begun_;
  return begun_ ? 0 : -1;
}

int ControllerClient::end_step(Lock& lock) {
  wait_until_idle(lock);
  check_alive();
  if (!begun_) {
    warn("wb_robot_step_end() called without wb_robot_step_begin().");
    return 0;
  }
  const Bytes message = receive(lock);
  begun_ = false;
  const int result = take_answer(message);
  do_deferred(lock);
  end_reported_ = ended_;
  return result;
}

void ControllerClient::flush(Lock& lock) {
  wait_until_idle(lock);
  check_alive();
  if (!begun_ && link_ != nullptr && send_step(0)) {
    take_answer(receive(lock));
  }
}

// @returns false, and ends the session, if the simulation is over
bool ControllerClient::send_step(int duration_ms) {
  if (!ended_) {
    tracked_.age();
    encode_step(writer_, duration_ms);
    write_requests();
    if (!link_->send(writer_.bytes())) {
      lost();
    }
  }
  return !ended_;
}

void ControllerClient::leave(Lock& lock) {
  if (broken_) {  // the other end has closed the link, or it is of no use
    link_.reset();
    return;
  }
  flush(lock);
  if (begun_) {
    end_step(lock);
  }
  if (link_ != nullptr) {
    encode_goodbye(writer_);
    link_->send(writer_.bytes());
    link_.reset();
  }
}

void ControllerClient::drop() {
  // A thread that still waits for the simulation needs the link.
  Lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && !busy_) {
    link_.reset();
  }
}

// While this thread waits, others may use the stored values.
Bytes ControllerClient::receive(Lock& lock) {
  busy_ = true;
  lock.unlock();
  const Bytes message = link_->receive();
  lock.lock();
  busy_ = false;
  idle_.notify_all();
  return message;
}

void ControllerClient::wait_until_idle(Lock& lock) {
  idle_.wait(lock, [this] { return !busy_; });
}

int ControllerClient::take_answer(Bytes message) {
  if (message.empty()) {
    return lost();
  }
  Reader readings({});
  const SimulationReply reply = decode_reply(message, readings);
  if (const Failure* failure = std::get_if<Failure>(&reply)) {
    end(EndingKind::Failed, std::string(failure->text));
  }
  const StepAnswer* answer = std::get_if<StepAnswer>(&reply);
  if (answer == nullptr) {
    return lost();
  }
  const double before = std::exchange(robot_.time, answer->time);
  for (ClientDevice& device : devices_) {
    if (device.node_type == WB_NODE_LIDAR && robot_.time < before) {
      device.setting(kPointCloud) = 0.0;  // as Webots does in a reset
    }
  }
  std::vector<Descriptor> memory = link_->take_descriptors();
  std::move(memory.begin(), memory.end(), std::back_inserter(memory_));
  Reading reading;
  while (readings.left() > 0 && next_reading(readings, reading)) {
    take_reading(reading);
  }
  ended_ = answer->result < 0;
  return answer->result;
}

void ControllerClient::check_alive() const {
  if (broken_) {
    throw Ending(*broken_);
  }
}

void ControllerClient::end(EndingKind kind, const std::string& why) {
  ended_ = true;
  broken_.emplace(kind, why);
  throw Ending(*broken_);
}

namespace {

std::string seconds(double time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f s", time);
  return text.data();
}

}  // namespace

// @returns -1; where endings are reported, a lost connection is an Ending instead
int ControllerClient::lost() {
  if (reports_endings()) {
    end(EndingKind::Lost, "the connection of robot \"" + robot_.name +
                              "\" to its simulator is lost after " + seconds(robot_.time) +
                              " of simulated time.");
  }
  if (!ended_) {
    warn("the simulator is gone.");
  }
  ended_ = true;
  return -1;
}

// Requests that the simulation answers at once.
namespace {

// @returns the text at the first call, and then an empty one. The client's mutex guards it.
const char* once(const char* text) {
  static bool reported = false;
  return std::exchange(reported, true) ? "" : text;
}

}  // namespace

// @throws CallError if no request can be sent now
void ControllerClient::prepare_call(Lock& lock) {
  wait_until_idle(lock);
  check_alive();
  if (begun_) {
    throw CallError("not between wb_robot_step_begin() and wb_robot_step_end().");
  }
  if (link_ == nullptr) {
    throw CallError("called after wb_robot_cleanup().");
  }
}

// Sends what writer_ holds. The result is empty when the simulation is gone, which may be an
// Ending.
Bytes ControllerClient::exchange(Lock& lock) {
  const Bytes answer = link_->send(writer_.bytes()) ? receive(lock) : Bytes{};
  if (answer.empty() && reports_endings()) {
    lost();
  }
  return answer;
}

const SupervisorResponse& ControllerClient::call(Lock& lock, const SupervisorRequest& request) {
  check_alive();
  if (ended_ && link_ != nullptr) {
    throw SimulationOver(
        once("the simulation is over for this robot, as wb_robot_step() said by "
             "-1: there is nothing more to ask or to change (reported once)."));
  }
  if (begun_ && link_ != nullptr && is_change(request.kind)) {
    deferred_.push_back({request, std::string(request.text), std::string(request.more), function_});
    last_response_ = {};
    return last_response_;
  }
  prepare_call(lock);
  if (robot_.requests != 0) {
    flush(lock);  // a supervisor may read its own customData
  }
  if (const SupervisorResponse* const known =
          request.slot == 0 ? tracked_.find(request) : nullptr) {
    return *known;
  }
  if (is_change(request.kind)) {
    tracked_.age();
  }
  encode_supervisor_request(writer_, request);
  Reader readings({});
  const SimulationReply reply = decode_reply(exchange(lock), readings);
  if (const SupervisorResponse* response = std::get_if<SupervisorResponse>(&reply)) {
    last_response_ = *response;
    return last_response_;
  }
  const Failure* failure = std::get_if<Failure>(&reply);
  throw CallError(failure != nullptr ? std::string(failure->text)
                                     : "the simulator does not answer.");
}

const SupervisorResponse& ControllerClient::track(Lock& lock, SupervisorRequest request,
                                                  int period_ms, const TrackedAnswers::User& user) {
  if (!robot_.synchronization) {  // the world advances between its steps
    return this->call(lock, request);
  }
  request.slot = tracked_.slot_for(request);
  request.period_ms = period_ms;
  const SupervisorResponse& response = this->call(lock, request);
  if (request.slot != 0) {
    tracked_.add(request, request.slot, user, response);
  }
  return response;
}

void ControllerClient::untrack(Lock& lock, const SupervisorRequest& request,
                               const TrackedAnswers::User& user) {
  if (const std::uint16_t slot = tracked_.slot_of_only(request, user); slot != 0) {
    SupervisorRequest end;
    end.kind = SupervisorRequestKind::Untrack;
    end.index = slot;
    this->call(lock, end);
  }
  tracked_.remove(request, user);
}

void print(const SupervisorResponse& response) {
  if (!response.text.empty()) {
    std::fprintf(stderr, "%s\n", printable_lines(response.text).c_str());
  }
}

void print_error(const char* function, const std::exception& error) noexcept {
  if (*error.what() != '\0') {
    print_to_stderr("Error", error.what(), function);
  }
}

void ControllerClient::refuse_unless_supervisor() {
  if (!robot_.supervisor) {
    throw CallError(supervision_refused_.first(function_) ? "this robot is no supervisor." : "");
  }
}

// Errors name the functions that the program has called.
void ControllerClient::do_deferred(Lock& lock) {
  for (Deferred& change : std::exchange(deferred_, {})) {
    change.request.text = change.text;
    change.request.more = change.more;
    try {
      print(call(lock, change.request));
    } catch (const CallError& error) {
      print_error(change.function, error);
    }
  }
}

const std::string& ControllerClient::urdf(Lock& lock, const std::string& prefix) {
  prepare_call(lock);
  encode_urdf_request(writer_, prefix);
  const Bytes message = exchange(lock);
  Reader readings({});
  const SimulationReply reply = decode_reply(message, readings);
  if (const Text* text = std::get_if<Text>(&reply)) {
    robot_.urdf = text->text;
  } else if (const Failure* failure = std::get_if<Failure>(&reply)) {
    throw CallError(std::string(failure->text));
  } else {
    throw CallError("the simulator does not answer.");
  }
  return robot_.urdf;
}

// The commands in the request for a step, and the readings in its answer.

namespace {

// The command that sends what `device` holds for `kind`.
DeviceCommand command_of(WbDeviceTag tag, const ClientDevice& device, CommandKind kind) {
  DeviceCommand command{tag, kind, {}, 0, {}};
  double& number = command.numbers[0];
  switch (kind) {
    case CommandKind::Position:
      number = device.motor.position;
      break;
    case CommandKind::Velocity:
      number = device.motor.velocity;
      break;
    case CommandKind::AvailableForce:
      number = device.motor.available_force;
      break;
    case CommandKind::Force:
      number = device.motor.force;
      break;
    case CommandKind::ForceFeedback:
      command.integer = device.motor.feedback_period_ms;
      break;
    case CommandKind::Acceleration:
      number = device.motor.acceleration;
      break;
    case CommandKind::ControlPid:
      command.numbers = device.motor.pid;
      break;
    case CommandKind::Sampling:
      command.integer = device.period_ms;
      break;
    case CommandKind::BrakeDamping:
      number = device.brake.damping;
      break;
    case CommandKind::Lock:
      command.integer = device.number(lock_field(device.node_type)) != 0.0 ? 1 : 0;
      break;
    case CommandKind::Led:
      command.integer = static_cast<int>(device.number(kLedValue));
      break;
    case CommandKind::Channel:
      command.integer = static_cast<int>(device.number("channel"));
      break;
    case CommandKind::Range:
      number = device.number("range");
      break;
    case CommandKind::Frequency:
      number = device.number("defaultFrequency");
      break;
    case CommandKind::FieldOfView:
      number = device.number("fieldOfView");
      break;
    case CommandKind::Exposure:
      number = device.number("exposure");
      break;
    case CommandKind::FocalDistance:
      number = device.number("focus.focalDistance");
      break;
    case CommandKind::Recognition:
      command.integer = device.recognition_period_ms;
      break;
    case CommandKind::Segmentation:
      command.integer = device.number(kSegmentation) != 0.0 ? 1 : 0;
      break;
    case CommandKind::Write:
      command.integer = device.drawing.writes ? 1 : 0;
      break;
    case CommandKind::Ink:
      command.numbers = {static_cast<double>(device.drawing.ink_color), device.drawing.ink_density};
      break;
    default:  // packets are sent one by one
      break;
  }
  return command;
}

// The same of the robot and its wheels.
DeviceCommand command_of(const ClientRobot& robot, CommandKind kind) {
  DeviceCommand command{0, kind, {}, 0, {}};
  switch (kind) {
    case CommandKind::BatterySampling:
      command.integer = robot.battery_period_ms;
      break;
    case CommandKind::Pin:
      command.integer = robot.pinned ? 1 : 0;
      break;
    case CommandKind::CustomData:
      command.text = robot.custom_data;
      break;
    case CommandKind::Quit:
      command.integer = robot.quit_status;
      break;
    case CommandKind::WheelSpeeds:
      command.numbers = {robot.wheels.speeds[0], robot.wheels.speeds[1]};
      break;
    case CommandKind::SetEncoders:
      command.numbers = {robot.wheels.encoders_to_set[0], robot.wheels.encoders_to_set[1]};
      break;
    case CommandKind::EncoderSampling:
      command.integer = robot.wheels.encoder_period_ms;
      break;
    default:  // the others are for devices
      break;
  }
  return command;
}

// Calls `send(kind)` for each bit of `requests`, and clears them.
template <typename Send>
void take_requests(std::uint32_t& requests, const Send& send) {
  std::uint32_t left = std::exchange(requests, 0u);
  for (std::size_t kind = 0; left != 0; ++kind, left >>= 1) {
    if ((left & 1u) != 0) {
      send(static_cast<CommandKind>(kind));
    }
  }
}

}  // namespace

void ControllerClient::write_requests() {
  if ((robot_.requests & bit(CommandKind::BatterySampling)) != 0) {
    // Webots gives 0 between the request of a period and the first sample, and -1 for ever without
    // a battery.
    robot_.battery = robot_.has_battery ? 0.0 : -1.0;
  }
  take_requests(robot_.requests,
                [&](CommandKind kind) { encode_command(writer_, command_of(robot_, kind)); });
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].requests != 0) {
      write_device_requests(static_cast<WbDeviceTag>(i + 1), devices_[i]);
    }
  }
}

void ControllerClient::tell(Lock& lock, WbDeviceTag tag, CommandKind kind) {
  ClientDevice& told = devices_.device(tag);
  if (busy_ || begun_) {
    return request(told, kind);
  }
  if (link_ == nullptr || ended_) {
    return;
  }
  encode_step(writer_, 0);
  encode_command(writer_, command_of(tag, told, kind));
  if (link_->send(writer_.bytes())) {
    take_answer(receive(lock));
  } else {
    lost();
  }
}

void ControllerClient::write_device_requests(WbDeviceTag tag, ClientDevice& device) {
  constexpr std::size_t kPiece = kMaxText / 2;
  std::string_view drawn = as_text(device.drawing.stream.bytes());
  for (; !drawn.empty(); drawn.remove_prefix(std::min(kPiece, drawn.size()))) {
    encode_command(writer_, {tag, CommandKind::Draw, {}, 0, drawn.substr(0, kPiece)});
  }
  device.drawing.stream.clear();
  device.requests &= ~bit(CommandKind::Draw);
  take_requests(device.requests,
                [&](CommandKind kind) { encode_command(writer_, command_of(tag, device, kind)); });
  for (const OutgoingPacket& packet : device.packets.outgoing) {
    encode_command(writer_, {tag, CommandKind::Send, {packet.range}, packet.channel, packet.data});
  }
  device.packets.outgoing.clear();
}

namespace {

// Stores a picture, whose bytes may be in the first of `memory`.
void take_picture(ClientDevice& device, ClientPicture& picture, const Reading& reading,
                  std::deque<Descriptor>& memory) {
  const double transfer = reading.numbers[1];
  const double size = reading.numbers[2];
  if (transfer == static_cast<double>(PictureTransfer::Text)) {
    return picture.take(std::as_bytes(std::span(reading.text)), reading.numbers[0]);
  }
  if (transfer == static_cast<double>(PictureTransfer::NewMemory) && size >= 0.0 &&
      size <= static_cast<double>(kMaxMessage)) {
    std::optional<SharedMemory> opened;
    if (!memory.empty()) {
      opened = SharedMemory::open(memory.front(), static_cast<std::size_t>(size));
      memory.pop_front();
    }
    picture.share(std::move(opened));
  }
  if (!picture.take_from_memory(reading.numbers[0]) && device.reports.lost_pictures.first()) {
    print_to_stderr("Error", "no pictures of \"" + device.name +
                                 "\" arrive, since this controller has no file descriptor or no "
                                 "memory left; close files, or raise the limit (ulimit -n)");
  }
}

}  // namespace

void ControllerClient::take_reading(const Reading& reading) {
  if (reading.kind == ReadingKind::Battery) {
    robot_.battery = reading.numbers[0];
    return;
  }
  if (reading.tag == 0 && reading.kind == ReadingKind::Sample && reading.count == 2) {
    robot_.wheels.encoders = {reading.numbers[0], reading.numbers[1]};
    return;
  }
  if (reading.kind == ReadingKind::CustomData) {
    // What the controller has set since stays.
    if ((robot_.requests & bit(CommandKind::CustomData)) == 0) {
      robot_.custom_data = reading.text;
    }
    return;
  }
  if (reading.kind == ReadingKind::Supervisor) {
    robot_.supervisor = reading.numbers[0] != 0.0;
    return;
  }
  if (reading.kind == ReadingKind::Tracked) {
    return tracked_.take(reading.tag, reading.text);
  }
  if (reading.kind == ReadingKind::NewDevice) {
    if (WelcomeDevice device;
        reading.tag == devices_.size() + 1 && decode_setup(reading.text, device)) {
      devices_.add(device);
    }
    return;
  }
  if (reading.tag == 0 || reading.tag > devices_.size()) {
    return;
  }
  ClientDevice& device = devices_[reading.tag - 1u];
  if (reading.kind == ReadingKind::Sample) {
    std::copy_n(reading.numbers.begin(), reading.count, device.values.begin());
  } else if (reading.kind == ReadingKind::Packet) {
    device.take_packet(reading.text, std::span<const double, 4>(reading.numbers.data(), 4));
  } else if (reading.kind == ReadingKind::Distances) {
    take_picture(device, device.ranges, reading, memory_);
    if (device.node_type == WB_NODE_LIDAR && device.period_ms > 0 &&
        device.setting(kPointCloud) != 0.0) {
      update_points(device, robot_.basic_time_step_ms);
    }
  } else if (reading.kind == ReadingKind::Pixels) {
    take_picture(device, device.pixels, reading, memory_);
  } else if (reading.kind == ReadingKind::Segments) {
    take_picture(device, device.segments, reading, memory_);
  } else if (reading.kind == ReadingKind::Drawn) {
    const Bytes bytes = as_bytes(reading.text);
    device.drawing.answer = {reading.numbers[0] != 0.0,
                             static_cast<int>(reading.numbers[1]),
                             static_cast<int>(reading.numbers[2]),
                             {bytes.begin(), bytes.end()}};
  } else if (reading.kind == ReadingKind::Objects) {
    device.objects.take(reading.text);
  } else if (reading.kind == ReadingKind::Targets) {
    device.objects.take_targets(reading.text);
  } else if (reading.kind == ReadingKind::ForceFeedback) {
    device.motor.measured_force = reading.numbers[0];
  } else if (reading.kind == ReadingKind::Setup) {
    take_setup(device, reading.text);
  }
}

// What the controller has set after the request was sent stays.
void ControllerClient::take_setup(ClientDevice& device, std::string_view text) {
  WelcomeDevice now;
  if (!decode_setup(text, now)) {
    return;
  }
  const auto keep = [&](CommandKind kind) { return (device.requests & bit(kind)) != 0; };
  const WelcomeMotor was = std::exchange<WelcomeMotor>(device.motor, now.motor);
  // A motor whose available force the controller has not limited has its whole force.
  device.motor.available_force = was.available_force == was.max_force
                                     ? now.motor.max_force
                                     : std::min(was.available_force, now.motor.max_force);
  device.motor.position = keep(CommandKind::Position) ? was.position : now.motor.position;
  device.motor.velocity = keep(CommandKind::Velocity) ? was.velocity : now.motor.velocity;
  device.motor.acceleration =
      keep(CommandKind::Acceleration) ? was.acceleration : now.motor.acceleration;
  device.motor.pid = keep(CommandKind::ControlPid) ? was.pid : now.motor.pid;
  for (const WelcomeField& field : now.fields) {
    const bool stays = (field.name == "channel" && keep(CommandKind::Channel)) ||
                       (field.name == "range" && keep(CommandKind::Range)) ||
                       (field.name == lock_field(device.node_type) && keep(CommandKind::Lock)) ||
                       (field.name == kLedValue && keep(CommandKind::Led)) ||
                       (field.name == "defaultFrequency" && keep(CommandKind::Frequency)) ||
                       (field.name == "fieldOfView" && keep(CommandKind::FieldOfView)) ||
                       (field.name == "exposure" && keep(CommandKind::Exposure)) ||
                       (field.name == "focus.focalDistance" && keep(CommandKind::FocalDistance));
    if (!stays) {
      device.put({std::string(field.name), std::string(field.text), field.numbers});
    }
  }
}

namespace {

class SocketLink : public Link {
 public:
  explicit SocketLink(MessageStream stream) : stream_(std::move(stream)) {
    stream_.set_longest_message(kMaxAnswer);
    if (stream_.is_local()) {
      stream_.accept_descriptors();
    }
  }

  bool send(Bytes message) noexcept override {
    try {
      return stream_.send(message);
    } catch (...) {
      return false;
    }
  }

  Bytes receive() noexcept override {
    try {
      return stream_.receive() == MessageStream::Status::Message ? stream_.message() : Bytes{};
    } catch (...) {  // out of memory
      return {};
    }
  }

  std::vector<Descriptor> take_descriptors() noexcept override {
    return stream_.take_descriptors();
  }

  void set_spin(bool spin) noexcept override { stream_.set_spin(spin); }

 private:
  MessageStream stream_;
};

}  // namespace

std::unique_ptr<Link> open_socket_link(MessageStream stream) {
  return std::make_unique<SocketLink>(std::move(stream));
}

}  // namespace servosim

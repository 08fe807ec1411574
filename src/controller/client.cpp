// SPDX-License-Identifier: Apache-2.0
#include "controller/client.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "controller/supervisor_refs.h"
#include "core/printable.h"

namespace servosim {

void warn(const std::string& text) { print_to_stderr("Warning", text); }

Client::~Client() = default;

Client::Client(std::unique_ptr<Link> link)
    : link_(std::move(link)), supervisor_refs_(std::make_unique<SupervisorRefs>()) {
  encode_hello(writer_, Hello{});
  const Bytes answer = link_->send(writer_.bytes()) ? link_->receive() : Bytes{};
  if (answer.empty()) {
    throw std::runtime_error("the simulator does not answer");
  }
  Reader readings({});
  const Reply reply = decode_reply(answer, readings);
  if (const Failure* failure = std::get_if<Failure>(&reply)) {
    throw std::runtime_error(std::string(failure->text));
  }
  const Welcome* welcome = std::get_if<Welcome>(&reply);
  if (welcome == nullptr) {
    throw std::runtime_error("the simulator speaks another language");
  }
  take_over(*welcome);
}

void Client::take_over(const Welcome& welcome) {
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
  robot_.has_wheels = welcome.has_wheels;
  robot_.max_speed = welcome.max_speed;
  robot_.speed_unit = welcome.speed_unit;
  std::transform(welcome.devices.begin(), welcome.devices.end(), std::back_inserter(devices_),
                 make_device);
  link_->set_spin(welcome.spin);
}

void Client::complain(const char* why) const { print_to_stderr("Error", why, function_); }

ClientDevice& Client::device(WbDeviceTag tag) {
  if (tag > devices_.size()) {
    throw CallError("device with tag=" + std::to_string(tag) + " not found; invalid device tag.");
  }
  if (tag == 0) {
    throw CallError("invalid device tag: 0 is no device.");
  }
  return devices_[tag - 1u];
}

namespace {

ClientDevice& checked(ClientDevice& device, bool right) {
  if (!right) {
    throw CallError("invalid device tag: \"" + device.name + "\" is of type " +
                    wb_node_get_name(device.node_type) + '.');
  }
  return device;
}

ClientDevice& with_part(ClientDevice& device, bool ClientDevice::*part) {
  return checked(device, device.*part);
}

}  // namespace

ClientDevice& Client::device(WbDeviceTag tag, WbNodeType type) {
  ClientDevice& found = device(tag);
  return checked(found, found.node_type == type);
}

ClientDevice& Client::motor(WbDeviceTag tag) {
  return with_part(device(tag), &ClientDevice::has_motor);
}

ClientDevice& Client::sensor(WbDeviceTag tag) {
  return with_part(device(tag), &ClientDevice::has_sensor);
}

ClientDevice& Client::brake(WbDeviceTag tag) {
  return with_part(device(tag), &ClientDevice::has_brake);
}

WbDeviceTag Client::sibling(const ClientDevice& device, bool ClientDevice::*part) const {
  const auto found = std::find_if(devices_.begin(), devices_.end(), [&](const ClientDevice& other) {
    return other.*part && other.joint == device.joint && device.joint >= 0;
  });
  return found == devices_.end() ? WbDeviceTag{0}
                                 : static_cast<WbDeviceTag>(found - devices_.begin() + 1);
}

void Client::share(const ClientDevice& motor, CommandKind kind, double value) {
  if (motor.motor.coupling == 0) {
    return;
  }
  for (ClientDevice& other : devices_) {
    if (&other == &motor || !other.has_motor || other.motor.coupling != motor.motor.coupling) {
      continue;
    }
    const double scaled = std::isinf(value) ? value : value * other.motor.multiplier;
    (kind == CommandKind::Position   ? other.motor.position
     : kind == CommandKind::Velocity ? other.motor.velocity
                                     : other.force) = scaled;
    other.requests &= ~bit(kind);
  }
}

void Client::set_motor_position(ClientDevice& motor, double position) {
  motor.motor.position = position;
  request(motor, CommandKind::Position);
  share(motor, CommandKind::Position, position);
}

int Client::step(Lock& lock, int duration_ms) {
  return begin_step(lock, duration_ms) < 0 ? -1 : end_step(lock);
}

int Client::begin_step(Lock& lock, int duration_ms) {
  wait_until_idle(lock);
  if (begun_) {
    warn("wb_robot_step_begin(): called again before wb_robot_step_end().");
    end_step(lock);
  }
  if (link_ == nullptr) {
    return -1;
  }
  if (told_) {
    end_process(lock, EXIT_SUCCESS);
  }
  begun_ = send_step(duration_ms);
  told_ = ended_;
  return begun_ ? 0 : -1;
}

int Client::end_step(Lock& lock) {
  wait_until_idle(lock);
  if (!begun_) {
    warn("wb_robot_step_end(): called without wb_robot_step_begin().");
    return 0;
  }
  const Bytes message = receive(lock);
  begun_ = false;
  const int result = take_answer(lock, message);
  do_deferred(lock);
  told_ = ended_;
  return result;
}

void Client::flush(Lock& lock) {
  wait_until_idle(lock);
  if (!begun_ && link_ != nullptr && send_step(0)) {
    take_answer(lock, receive(lock));
  }
}

// False, and the end, when the simulation is over.
bool Client::send_step(int duration_ms) {
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

void Client::leave(Lock& lock) {
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

void Client::drop() {
  // A thread that is still inside the simulation keeps it.
  Lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && !busy_) {
    link_.reset();
  }
}

// Lets other threads use the cache while this one waits.
Bytes Client::receive(Lock& lock) {
  busy_ = true;
  lock.unlock();
  const Bytes message = link_->receive();
  lock.lock();
  busy_ = false;
  idle_.notify_all();
  return message;
}

void Client::wait_until_idle(Lock& lock) {
  idle_.wait(lock, [this] { return !busy_; });
}

int Client::take_answer(Lock& lock, Bytes message) {
  if (message.empty()) {
    return lost();
  }
  Reader readings({});
  const Reply reply = decode_reply(message, readings);
  if (const Failure* failure = std::get_if<Failure>(&reply)) {
    print_to_stderr("Error", failure->text);
    end_process(lock, EXIT_FAILURE);
  }
  const Answer* answer = std::get_if<Answer>(&reply);
  if (answer == nullptr) {
    return lost();
  }
  robot_.time = answer->time;
  Reading reading;
  while (readings.left() > 0 && next_reading(readings, reading)) {
    take_reading(reading);
  }
  ended_ = answer->result < 0;
  return answer->result;
}

int Client::lost() {
  if (!ended_) {
    warn("the simulator is gone.");
  }
  ended_ = true;
  return -1;
}

void Client::end_process(Lock& lock, int status) {
  lock.unlock();
  std::exit(status);
}

}  // namespace servosim

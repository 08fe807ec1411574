// SPDX-License-Identifier: Apache-2.0
#include <webots/motor.h>

#include <cmath>

#include "controller_api/c/device_handle.h"
#include "controller_api/client/api_call.h"

using servosim::alias;
using servosim::api_call;
using servosim::ClientDevice;
using servosim::ClientJoint;
using servosim::CommandKind;
using servosim::ControllerClient;
using servosim::refuse;

void wb_motor_set_position(WbDeviceTag tag, double position) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.devices().motor(tag);
    refuse(std::isnan(position), "the position is NaN.");
    client.devices().set_motor_position(device, position);
  });
}

void wb_motor_set_velocity(WbDeviceTag tag, double velocity) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.devices().motor(tag);
    refuse(std::isnan(velocity), "the velocity is NaN.");
    refuse(velocity < 0.0 && std::isfinite(device.motor.position),
           "the velocity is negative while the motor is in position control; call "
           "wb_motor_set_position(tag, INFINITY) first.");
    device.motor.velocity = velocity;
    ControllerClient::request(device, CommandKind::Velocity);
    client.devices().share(device, CommandKind::Velocity, velocity);
  });
}

void wb_motor_set_acceleration(WbDeviceTag tag, double acceleration) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.devices().motor(tag);
    refuse(std::isnan(acceleration), "the acceleration is NaN.");
    refuse(acceleration < 0.0 && acceleration != -1.0,
           "the acceleration is negative and not -1, which means unlimited.");
    device.motor.acceleration = acceleration;
    ControllerClient::request(device, CommandKind::Acceleration);
  });
}

void wb_motor_set_force(WbDeviceTag tag, double force) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.devices().motor(tag);
    refuse(std::isnan(force), "the force is NaN.");
    device.motor.force = force;
    ControllerClient::request(device, CommandKind::Force);
    client.devices().share(device, CommandKind::Force, force);
  });
}

void wb_motor_set_torque(WbDeviceTag tag, double torque) {
  alias(__func__, wb_motor_set_force, tag, torque);
}

void wb_motor_set_available_force(WbDeviceTag tag, double force) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.devices().motor(tag);
    refuse(std::isnan(force), "the available force is NaN.");
    refuse(force < 0.0, "the available force is negative.");
    device.motor.available_force = force;
    ControllerClient::request(device, CommandKind::AvailableForce);
  });
}

void wb_motor_set_available_torque(WbDeviceTag tag, double torque) {
  alias(__func__, wb_motor_set_available_force, tag, torque);
}

void wb_motor_set_control_pid(WbDeviceTag tag, double p, double i, double d) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.devices().motor(tag);
    refuse(!std::isfinite(p) || p <= 0.0, "P is not a positive number.");
    refuse(!std::isfinite(i) || i < 0.0, "I is not a number >= 0.");
    refuse(!std::isfinite(d) || d < 0.0, "D is not a number >= 0.");
    device.motor.pid = {p, i, d};
    ControllerClient::request(device, CommandKind::ControlPid);
  });
}

void wb_motor_set_control_p(WbDeviceTag tag, double p) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.devices().motor(tag);
    refuse(!std::isfinite(p) || p <= 0.0, "P is not a positive number.");
    device.motor.pid[0] = p;
    ControllerClient::request(device, CommandKind::ControlPid);
  });
}

void wb_motor_enable_force_feedback(WbDeviceTag tag, int sampling_period) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.devices().motor(tag);
    servosim::check_period(sampling_period);
    device.motor.feedback_period_ms = sampling_period;
    ControllerClient::request(device, CommandKind::ForceFeedback);
  });
}

void wb_motor_disable_force_feedback(WbDeviceTag tag) {
  alias(__func__, wb_motor_enable_force_feedback, tag, 0);
}

int wb_motor_get_force_feedback_sampling_period(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.feedback_period_ms;
  });
}

double wb_motor_get_force_feedback(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.measured_force;
  });
}

void wb_motor_enable_torque_feedback(WbDeviceTag tag, int sampling_period) {
  alias(__func__, wb_motor_enable_force_feedback, tag, sampling_period);
}

void wb_motor_disable_torque_feedback(WbDeviceTag tag) {
  alias(__func__, wb_motor_enable_force_feedback, tag, 0);
}

int wb_motor_get_torque_feedback_sampling_period(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_force_feedback_sampling_period, tag);
}

double wb_motor_get_torque_feedback(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_force_feedback, tag);
}

WbJointType wb_motor_get_type(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.linear != 0 ? WB_LINEAR : WB_ROTATIONAL;
  });
}

double wb_motor_get_target_position(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.position;
  });
}

double wb_motor_get_velocity(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.velocity;
  });
}

double wb_motor_get_acceleration(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.acceleration;
  });
}

double wb_motor_get_available_force(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.available_force;
  });
}

double wb_motor_get_available_torque(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_available_force, tag);
}

double wb_motor_get_min_position(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.min_position;
  });
}

double wb_motor_get_max_position(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.max_position;
  });
}

double wb_motor_get_max_velocity(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.max_velocity;
  });
}

double wb_motor_get_max_force(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.max_force;
  });
}

double wb_motor_get_max_torque(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_max_force, tag);
}

double wb_motor_get_multiplier(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).motor.multiplier;
  });
}

WbDeviceTag wb_motor_get_brake(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().sibling(client.devices().motor(tag), &ClientJoint::has_brake);
  });
}

WbDeviceTag wb_motor_get_position_sensor(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().sibling(client.devices().motor(tag), &ClientJoint::has_sensor);
  });
}

void wb_motor_enable_position(WbDeviceTag tag, int ms) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    enable_position(client.devices().motor(tag), ms);
  });
}

void wb_motor_disable_position(WbDeviceTag tag) {
  alias(__func__, wb_motor_enable_position, tag, 0);
}

int wb_motor_get_position_sampling_period(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().motor(tag).period_ms;
  });
}

double wb_motor_get_position(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return last_position(client, client.devices().motor(tag));
  });
}

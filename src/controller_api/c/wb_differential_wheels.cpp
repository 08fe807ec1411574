// SPDX-License-Identifier: Apache-2.0
#include <webots/differential_wheels.h>

#include <cmath>

#include "controller_api/c/device_handle.h"
#include "controller_api/client/api_call.h"

using servosim::api_call;
using servosim::ClientWheels;
using servosim::CommandKind;
using servosim::ControllerClient;
using servosim::refuse;

namespace {

ClientWheels& wheels_of(ControllerClient& client) {
  refuse(!client.robot().wheels.exist, "this robot is no DifferentialWheels.");
  return client.robot().wheels;
}

double number(const char* function, double ClientWheels::*member) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return wheels_of(client).*member;
  });
}

double wheel_speed(const char* function, std::size_t side) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return wheels_of(client).speeds[side];
  });
}

double encoder(const char* function, std::size_t side) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    const ClientWheels& wheels = wheels_of(client);
    if (wheels.encoder_period_ms <= 0) {
      client.report_error("called for disabled encoders; enable them first.");
    }
    return wheels.encoders[side];
  });
}

}  // namespace

void wb_differential_wheels_set_speed(double left, double right) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientWheels& wheels = wheels_of(client);
    refuse(std::isnan(left) || std::isnan(right), "a speed is NaN.");
    wheels.speeds = {left, right};
    client.request(CommandKind::WheelSpeeds);
  });
}

double wb_differential_wheels_get_left_speed() { return wheel_speed(__func__, 0); }

double wb_differential_wheels_get_right_speed() { return wheel_speed(__func__, 1); }

void wb_differential_wheels_enable_encoders(int sampling_period) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientWheels& wheels = wheels_of(client);
    servosim::check_period(sampling_period);
    wheels.encoder_period_ms = sampling_period;
    client.request(CommandKind::EncoderSampling);
  });
}

void wb_differential_wheels_disable_encoders() {
  servosim::alias(__func__, wb_differential_wheels_enable_encoders, 0);
}

int wb_differential_wheels_get_encoders_sampling_period() {
  return api_call(__func__, [](ControllerClient& client, ControllerClient::Lock&) {
    return wheels_of(client).encoder_period_ms;
  });
}

double wb_differential_wheels_get_left_encoder() { return encoder(__func__, 0); }

double wb_differential_wheels_get_right_encoder() { return encoder(__func__, 1); }

void wb_differential_wheels_set_encoders(double left, double right) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientWheels& wheels = wheels_of(client);
    refuse(!std::isfinite(left) || !std::isfinite(right), "a number is not finite.");
    wheels.encoders_to_set = {left, right};
    client.request(CommandKind::SetEncoders);
  });
}

double wb_differential_wheels_get_max_speed() { return number(__func__, &ClientWheels::max_speed); }

double wb_differential_wheels_get_speed_unit() {
  return number(__func__, &ClientWheels::speed_unit);
}

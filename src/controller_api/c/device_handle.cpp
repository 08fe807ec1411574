// SPDX-License-Identifier: Apache-2.0
#include "controller_api/c/device_handle.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

namespace servosim {

double device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                     std::string_view field) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.device(tag, type).number(field);
  });
}

int device_integer(const char* function, WbDeviceTag tag, WbNodeType type, std::string_view field,
                   int otherwise) {
  int result = otherwise;
  api_call(function, [&](ControllerClient& client, ControllerClient::Lock&) {
    result = static_cast<int>(std::clamp(client.device(tag, type).number(field), -2e9, 2e9));
  });
  return result;
}

void set_device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                       std::string_view field, double value, double low, double high,
                       const char* what) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.device(tag, type);
    if (!(value >= low && value <= high)) {
      char text[160];
      std::snprintf(text, sizeof text, "%s %g is out of range [%g, %g].", what, value, low, high);
      throw CallError(text);
    }
    device.setting(field) = value;
  });
}

void report_absent(const char* function, ClientDevice& device, const char* why) {
  if (device.reports.absence.first()) {
    warn(std::string(function) + "(): " + why + "; \"" + device.name +
         "\" does nothing (reported once).");
  }
}

void report_absent(const char* function, WbDeviceTag tag, WbNodeType type, const char* why) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    report_absent(function, client.device(tag, type), why);
  });
}

void check_device(const char* function, WbDeviceTag tag, WbNodeType type) {
  api_call(function,
           [=](ControllerClient& client, ControllerClient::Lock&) { client.device(tag, type); });
}

void check_period(int period_ms) { refuse(period_ms < 0, "called with negative sampling period."); }

void set_period(const char* function, int& period_ms, int asked_ms) {
  api_call(function, [&](ControllerClient&, ControllerClient::Lock&) {
    check_period(asked_ms);
    period_ms = asked_ms;
  });
}

void enable_sampling(const char* function, WbDeviceTag tag, WbNodeType type, int period_ms) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.device(tag, type);
    check_period(period_ms);
    device.period_ms = period_ms;
    ControllerClient::request(device, CommandKind::Sampling);
  });
}

int sampling_period(const char* function, WbDeviceTag tag, WbNodeType type) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.device(tag, type).period_ms;
  });
}

const double* sample(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t first) {
  return api_call(function,
                  [=](ControllerClient& client, ControllerClient::Lock&) -> const double* {
                    const ClientDevice& device = client.device(tag, type);
                    if (device.period_ms <= 0) {
                      client.report_error("called for a disabled device; enable it first.");
                    }
                    return device.values.data() + first;
                  });
}

double sample_value(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t index) {
  const double* value = sample(function, tag, type, index);
  return value != nullptr ? *value : nothing<double>();
}

const std::vector<double>* lookup_table(const char* function, WbDeviceTag tag, WbNodeType type) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return &client.device(tag, type).field("lookupTable").numbers;
  });
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "controller/sampled_device.h"

namespace servosim {

void enable_sampling(const char* function, WbDeviceTag tag, WbNodeType type, int period_ms) {
  boundary(function, [=](Client& client, Client::Lock&) {
    ClientDevice& device = client.device(tag, type);
    refuse(period_ms < 0, "the sampling period is negative.");
    device.period_ms = period_ms;
    Client::request(device, CommandKind::Sampling);
  });
}

int sampling_period(const char* function, WbDeviceTag tag, WbNodeType type) {
  return boundary(
      function, [=](Client& client, Client::Lock&) { return client.device(tag, type).period_ms; });
}

const double* sample(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t first) {
  return boundary(function, [=](Client& client, Client::Lock&) -> const double* {
    const ClientDevice& device = client.device(tag, type);
    if (device.period_ms <= 0) {
      client.complain("called for a disabled device; enable it first.");
    }
    return device.values.data() + first;
  });
}

double sample_value(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t index) {
  const double* value = sample(function, tag, type, index);
  return value != nullptr ? *value : nothing<double>();
}

const std::vector<double>* lookup_table(const char* function, WbDeviceTag tag, WbNodeType type) {
  return boundary(function, [=](Client& client, Client::Lock&) {
    return &client.device(tag, type).field("lookupTable").numbers;
  });
}

}  // namespace servosim

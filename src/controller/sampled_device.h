// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controller/boundary.h"

// What the C functions of all sensors that are sampled have in common.

namespace servosim {

void enable_sampling(const char* function, WbDeviceTag tag, WbNodeType type, int period_ms);
int sampling_period(const char* function, WbDeviceTag tag, WbNodeType type);
/// Numbers of the last sample from number `first` on, in place; complains while disabled. Null for
/// a device of another type.
const double* sample(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t first = 0);
/// One number of it; NaN for a device of another type.
double sample_value(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t index = 0);
/// Numbers of the lookupTable field, three in a row; null when there is none.
const std::vector<double>* lookup_table(const char* function, WbDeviceTag tag, WbNodeType type);

}  // namespace servosim

// A macro, because every device spells these functions with a name of its own.
#define SERVOSIM_SAMPLED_DEVICE(name, type)                                                        \
  void wb_##name##_enable(WbDeviceTag tag, int sampling_period) {                                  \
    servosim::enable_sampling(__func__, tag, type, sampling_period);                               \
  }                                                                                                \
  void wb_##name##_disable(WbDeviceTag tag) { servosim::enable_sampling(__func__, tag, type, 0); } \
  int wb_##name##_get_sampling_period(WbDeviceTag tag) {                                           \
    return servosim::sampling_period(__func__, tag, type);                                         \
  }

#define SERVOSIM_LOOKUP_TABLE(name, type)                                 \
  int wb_##name##_get_lookup_table_size(WbDeviceTag tag) {                \
    const auto* table = servosim::lookup_table(__func__, tag, type);      \
    return table != nullptr ? static_cast<int>(table->size() / 3) : 0;    \
  }                                                                       \
  const double* wb_##name##_get_lookup_table(WbDeviceTag tag) {           \
    const auto* table = servosim::lookup_table(__func__, tag, type);      \
    return table != nullptr && !table->empty() ? table->data() : nullptr; \
  }

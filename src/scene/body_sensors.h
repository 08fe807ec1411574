// SPDX-License-Identifier: Apache-2.0
#pragma once

// X(node type) for each node that is both a Solid and a sensor. Each has a class in src/devices/
// that computes the values that its controller reads.
#define SERVOSIM_BODY_SENSORS(X) \
  X(Accelerometer)               \
  X(Altimeter)                   \
  X(Compass)                     \
  X(DistanceSensor)              \
  X(GPS)                         \
  X(Gyro)                        \
  X(InertialUnit)                \
  X(LightSensor)                 \
  X(TouchSensor)

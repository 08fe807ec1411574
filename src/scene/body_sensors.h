// SPDX-License-Identifier: Apache-2.0
#pragma once

// The nodes that are a Solid and a sensor, X(node type). Each is a class in src/devices/, which
// fills the values that its controller reads.
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

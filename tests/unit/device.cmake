# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(device_battery_test.cpp device_coupled_motors_test.cpp device_motor_kinematic_test.cpp device_motor_test.cpp device_robot_test.cpp device_measuring_test.cpp
  device_radio_test.cpp
  device_sensor_test.cpp device_solid_sensor_test.cpp)

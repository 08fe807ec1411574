# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(device_motor_test.cpp device_robot_test.cpp device_sensor_test.cpp)

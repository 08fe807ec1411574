# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(mcu_link_test.cpp mcu_recording_test.cpp mcu_robot_test.cpp mcu_servo_map_test.cpp
  mcu_servo_movement_test.cpp)

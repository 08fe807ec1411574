# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(control_backlash_test.cpp control_spring_damper_test.cpp control_trajectory_test.cpp
  control_velocity_controller_test.cpp)

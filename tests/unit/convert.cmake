# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(
  convert_axes_test.cpp
  convert_fields_test.cpp
  convert_motion_test.cpp
  convert_nodes_test.cpp
  convert_servos_test.cpp
  convert_urls_test.cpp
  convert_worlds_test.cpp)

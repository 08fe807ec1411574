# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(board_control_board_test.cpp board_interfaces_test.cpp
  board_joint_status_test.cpp board_modes_test.cpp board_transitions_test.cpp)

# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(wire_recorded_test.cpp wire_requests_test.cpp wire_server_test.cpp wire_streamed_test.cpp
  wire_v4_methods_test.cpp wire_v4_replay_test.cpp wire_v4_test.cpp)

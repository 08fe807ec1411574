# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(srvp_client_test.cpp srvp_crowd_test.cpp srvp_database_test.cpp
  srvp_fleet_test.cpp srvp_frames_test.cpp srvp_patience_test.cpp srvp_recording_test.cpp srvp_server_test.cpp srvp_trouble_test.cpp)

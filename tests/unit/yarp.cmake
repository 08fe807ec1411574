# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(yarp_admin_test.cpp yarp_bottle_test.cpp yarp_bottle_text_test.cpp
  yarp_connection_test.cpp yarp_datagram_test.cpp yarp_enrolments_test.cpp yarp_name_test.cpp
  yarp_outgoing_test.cpp yarp_port_output_test.cpp yarp_port_test.cpp yarp_recorded_test.cpp
  yarp_station_test.cpp yarp_streaming_test.cpp)

# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(
  controller_client_test.cpp
  controller_extern_entry_test.cpp
  controller_motion_test.cpp
  controller_protocol_replies_test.cpp
  controller_protocol_test.cpp
  controller_radio_message_test.cpp
  controller_saved_world_test.cpp
  controller_session_robot_test.cpp
  controller_session_test.cpp
  controller_stream_test.cpp
  controller_supervisor_test.cpp
  urdf_test.cpp
  # The client's half is in libController, which shows nothing but the C API.
  ${PROJECT_SOURCE_DIR}/src/controller/client/client.cpp
  ${PROJECT_SOURCE_DIR}/src/controller/client/client_device.cpp
  ${PROJECT_SOURCE_DIR}/src/controller/client/motion.cpp
  ${PROJECT_SOURCE_DIR}/src/controller/client/radio_message.cpp
  ${PROJECT_SOURCE_DIR}/src/controller/api/wb_nodes.cpp)

# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(
  core_paths_test.cpp host_c_sources_test.cpp host_command_test.cpp host_console_test.cpp
  host_controller_builder_test.cpp host_controller_finder_test.cpp host_controller_process_test.cpp host_extern_door_test.cpp
  host_hosted_controller_test.cpp host_instance_folder_test.cpp host_launch_test.cpp host_output_pump_test.cpp host_pace_test.cpp
  host_runtime_ini_test.cpp)

# SPDX-License-Identifier: Apache-2.0
# Each of these tests checks one source file. It is in the folder that has the same name as in src/.
servosim_test_binary(unit_tests unit)
servosim_precompile(unit_tests <gtest/gtest.h> <fmt/format.h> <fmt/ranges.h> <algorithm> <array> <chrono>
  <cmath> <filesystem> <fstream> <functional> <limits> <map> <memory> <numbers> <optional> <set> <span>
  <sstream> <string> <thread> <utility> <variant> <vector>)

if(NOT SERVOSIM_SANITIZE)  # sanitized programs need more addresses than a limit could leave them
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/wbt/templates/template_hostile_test.cpp PROPERTIES
    COMPILE_DEFINITIONS SERVOSIM_LIMIT_MEMORY)
endif()

servosim_module_sources(unit_tests assets
  assets/address_test.cpp assets/library_test.cpp assets/zip_archive_test.cpp assets/zip_writer_test.cpp)
target_link_libraries(unit_tests PRIVATE PkgConfig::Minizip)
servosim_module_sources(unit_tests base
  base/assert_test.cpp base/child_test.cpp base/connection_limit_test.cpp base/diagnostics_test.cpp base/file_test.cpp
  base/hash_test.cpp base/host_address_test.cpp base/math_test.cpp base/memory_test.cpp base/name_globs_test.cpp base/paths_test.cpp
  base/per_thread_test.cpp base/picture_file_test.cpp base/printable_test.cpp base/queues_test.cpp base/event_loop_test.cpp base/report_once_test.cpp base/text_test.cpp
  base/copy_on_write_test.cpp
  base/temporary_folder_test.cpp base/base64_test.cpp)
target_link_libraries(unit_tests PRIVATE PNG::PNG)
servosim_module_sources(unit_tests batch
  batch/batch_making_test.cpp batch/batch_parameters_test.cpp batch/batch_pictures_test.cpp batch/batch_test.cpp batch/lane_instances_test.cpp batch/servo_batch_test.cpp
  batch/together_test.cpp batch/worker_pool_test.cpp)
servosim_module_sources(unit_tests bus_protocol bus/protocol/packet_test.cpp)
servosim_module_sources(unit_tests bus_client bus/client/bus_client_test.cpp)
servosim_module_sources(unit_tests bus_registers bus/registers/model_file_test.cpp)
servosim_module_sources(unit_tests bus_serve bus/serve/bus_port_test.cpp bus/serve/control_port_test.cpp)
servosim_module_sources(unit_tests bus_run
  bus/run/bench_bus_test.cpp bus/run/bus_faults_test.cpp bus/run/bus_line_test.cpp bus/run/bus_map_test.cpp
  bus/run/bus_run_test.cpp)
servosim_module_sources(unit_tests bus_servo bus/servo/firmware_test.cpp bus/servo/instructions_test.cpp
  bus/servo/loop_registers_test.cpp bus/servo/published_tables_test.cpp bus/servo/register_rows_test.cpp)
servosim_module_sources(unit_tests cli
  cli/secrets_test.cpp cli/text_table_test.cpp)
servosim_module_sources(unit_tests motor_laws
  motor_laws/backlash_test.cpp motor_laws/spring_damper_test.cpp
  motor_laws/step_response_test.cpp motor_laws/trajectory_test.cpp
  motor_laws/velocity_controller_test.cpp)
servosim_module_sources(unit_tests controller_client
  controller_api/client/client_picture_test.cpp controller_api/client/client_test.cpp controller_api/client/motion_test.cpp
  controller_api/client/radio_message_test.cpp)
servosim_module_sources(unit_tests controller_protocol
  controller_api/protocol/extern_entry_test.cpp controller_api/protocol/protocol_replies_test.cpp
  controller_api/protocol/protocol_test.cpp controller_api/protocol/recorded_messages_test.cpp
  controller_api/protocol/stream_test.cpp)
servosim_module_sources(unit_tests controller_server
  controller_api/server/saved_world_test.cpp controller_api/server/session_robot_test.cpp
  controller_api/server/session_test.cpp)
servosim_module_sources(unit_tests controller_server_supervisor
  controller_api/server/supervisor/edit_cost_test.cpp controller_api/server/supervisor/supervisor_test.cpp)
servosim_module_sources(unit_tests devices
  devices/battery_test.cpp devices/body_sensor_test.cpp devices/connector_search_test.cpp
  devices/coupled_motors_test.cpp devices/looks_test.cpp devices/measuring_test.cpp devices/motor_kinematic_test.cpp
  devices/camera_test.cpp devices/canvas_test.cpp devices/display_test.cpp devices/motor_test.cpp devices/pen_test.cpp devices/radar_test.cpp devices/radio_test.cpp devices/ranging_test.cpp devices/rebind_test.cpp devices/robot_test.cpp
  devices/sensor_test.cpp devices/servo_test.cpp devices/webots_pictures_test.cpp)
servosim_module_sources(unit_tests robots
  robots/mjcf_motion_test.cpp robots/mjcf_reader_test.cpp robots/mjcf_world_test.cpp robots/robot_files_test.cpp
  robots/robot_export_test.cpp robots/robot_world_test.cpp robots/sdf_reader_test.cpp robots/urdf_reader_test.cpp)
servosim_module_sources(unit_tests experiments
  experiments/frequency_response_test.cpp experiments/identification_test.cpp
  experiments/regression_test.cpp experiments/tuning_test.cpp)
find_package(Eigen3 REQUIRED NO_MODULE)
target_link_libraries(unit_tests PRIVATE servosim_experiments servosim_plot Eigen3::Eigen)
servosim_module_sources(unit_tests fetch
  fetch/cache_test.cpp fetch/licence_test.cpp fetch/references_test.cpp fetch/world_files_test.cpp)
servosim_module_sources(unit_tests fit
  fit/bench_test.cpp fit/cma_es_test.cpp fit/fit_test.cpp fit/interval_coverage_test.cpp fit/servo_log_test.cpp fit/world_rig_test.cpp)
target_link_libraries(unit_tests PRIVATE servosim_fit)
servosim_module_sources(unit_tests physics
  physics/bodies_test.cpp physics/damping_test.cpp physics/gyroscopic_test.cpp
  physics/joint_coordinate_test.cpp physics/joint_effort_test.cpp physics/joint_memory_test.cpp
  physics/mass_extremes_test.cpp
  physics/mass_test.cpp
  physics/ode_sleep_test.cpp physics/overload_test.cpp physics/rigid_bodies_test.cpp
  physics/rows/servo_law_test.cpp
  physics/sleep_test.cpp physics/step_losses_test.cpp physics/step_memory_test.cpp physics/structure_test.cpp
  physics/threads_test.cpp)
servosim_module_sources(unit_tests physics_tree
  physics/tree/arc_tangent_test.cpp physics/tree/tree_cases_test.cpp
  physics/tree/tree_chain_test.cpp physics/tree/tree_contacts_test.cpp physics/tree/joint_lanes_test.cpp physics/tree/tree_lanes_test.cpp
  physics/tree/tree_passes_test.cpp physics/tree/tree_pivoting_test.cpp physics/tree/tree_solver_test.cpp)
servosim_module_sources(unit_tests physics_contacts
  physics/contacts/box_box_test.cpp physics/contacts/colliders_test.cpp
  physics/contacts/collision_filter_test.cpp physics/contacts/contact_order_test.cpp
  physics/contacts/cylinder_grid_test.cpp physics/contacts/cylinder_plane_test.cpp
  physics/contacts/elevation_grid_test.cpp physics/contacts/extreme_contacts_test.cpp)
servosim_module_sources(unit_tests plot plot/figure_test.cpp)
servosim_module_sources(unit_tests recording
  recording/pictures_test.cpp recording/recording_test.cpp)
target_link_libraries(unit_tests PRIVATE nlohmann_json::nlohmann_json)
servosim_module_sources(unit_tests run
  run/c_sources_test.cpp run/console_test.cpp run/controller_builder_test.cpp
  run/controller_finder_test.cpp run/run_controller_test.cpp run/extern_listener_test.cpp
  run/instance_folder_test.cpp run/launch_plan_test.cpp run/motion_monitor_test.cpp run/output_pump_test.cpp
  run/process_test.cpp run/real_time_pacer_test.cpp)
servosim_module_sources(unit_tests rendering rendering/light_pictures_test.cpp rendering/light_test.cpp
  rendering/renderer_test.cpp)
servosim_module_sources(unit_tests scene
  scene/ball_range_test.cpp scene/checks_test.cpp scene/coupled_motors_test.cpp scene/couplings_test.cpp
  scene/drawing_test.cpp scene/elevation_grid_test.cpp scene/finish_test.cpp scene/joint_axes_test.cpp scene/joint_extras_test.cpp
  scene/joints_test.cpp scene/mesh_file_test.cpp scene/propellers_test.cpp scene/references_test.cpp
  scene/robots_test.cpp scene/servos_test.cpp scene/shapes_test.cpp scene/body_sensors_test.cpp scene/urdf_test.cpp
  scene/values_test.cpp scene/visible_shapes_test.cpp scene/world_hints_test.cpp scene/world_values_test.cpp scene/wrong_nodes_test.cpp)
servosim_module_sources(unit_tests servo_models
  servo_models/catalogue_test.cpp servo_models/servo_file_test.cpp)
servosim_module_sources(unit_tests sim
  sim/driven_joints_test.cpp sim/extremes_test.cpp sim/impossible_test.cpp sim/joint_space_test.cpp
  sim/muscles_test.cpp sim/nesting_test.cpp sim/servo_choices_test.cpp
  sim/simulation_test.cpp)
servosim_module_sources(unit_tests sweep
  sweep/results_file_test.cpp sweep/sweep_plan_test.cpp sweep/sweep_test.cpp)
servosim_module_sources(unit_tests sim_trace
  sim/trace/trace_file_test.cpp sim/trace/trace_reader_test.cpp sim/trace/trace_test.cpp)
servosim_module_sources(unit_tests srvp_protocol
  srvp/protocol/frames_test.cpp srvp/protocol/recording_test.cpp)
servosim_module_sources(unit_tests srvp_robot
  srvp/robot/link_test.cpp srvp/robot/recording_test.cpp srvp/robot/robot_test.cpp
  srvp/robot/servo_map_test.cpp srvp/robot/servo_movement_test.cpp)
servosim_module_sources(unit_tests srvp_server
  srvp/server/client_test.cpp srvp/server/crowd_test.cpp srvp/server/database_test.cpp
  srvp/server/fault_test.cpp srvp/server/mcu_registry_test.cpp srvp/server/server_test.cpp
  srvp/server/timeout_test.cpp)
servosim_module_sources(unit_tests view_live
  view/live/http_test.cpp view/live/live_server_test.cpp view/live/live_stream_test.cpp
  view/live/live_view_test.cpp)
servosim_module_sources(unit_tests view_still view/still/still_test.cpp)
servosim_module_sources(unit_tests wbt
  wbt/era_worlds_test.cpp wbt/field_text_test.cpp wbt/lexer_test.cpp wbt/node_parser_test.cpp wbt/tree_edits_test.cpp wbt/tree_test.cpp
  wbt/values_test.cpp wbt/world_file_test.cpp wbt/writer_test.cpp)
servosim_module_sources(unit_tests wbt_convert
  wbt/convert/axes_test.cpp wbt/convert/fields_test.cpp wbt/convert/kept_protos_test.cpp
  wbt/convert/motion_test.cpp
  wbt/convert/nodes_test.cpp wbt/convert/servos_test.cpp wbt/convert/urls_test.cpp
  wbt/convert/worlds_test.cpp)
servosim_module_sources(unit_tests wbt_eras
  wbt/eras/hidden_fields_test.cpp wbt/eras/legacy_test.cpp wbt/eras/version_test.cpp)
servosim_module_sources(unit_tests wbt_proto
  wbt/proto/builtin_protos_test.cpp wbt/proto/proto_faults_test.cpp wbt/proto/proto_test.cpp
  wbt/proto/uneven_terrain_test.cpp)
servosim_module_sources(unit_tests wbt_schema
  wbt/schema/accepted_nodes_test.cpp wbt/schema/extension_marks_test.cpp
  wbt/schema/field_order_test.cpp wbt/schema/node_types_test.cpp)
servosim_module_sources(unit_tests wbt_templates
  wbt/templates/template_files_test.cpp wbt/templates/template_hostile_test.cpp
  wbt/templates/template_test.cpp)
servosim_module_sources(unit_tests yarp_control_board
  yarp/control_board/control_board_test.cpp yarp/control_board/interfaces_test.cpp
  yarp/control_board/joint_status_test.cpp yarp/control_board/modes_test.cpp yarp/control_board/refusals_test.cpp
  yarp/control_board/transitions_test.cpp)
servosim_module_sources(unit_tests yarp_ports
  yarp/ports/admin_test.cpp yarp/ports/connection_test.cpp yarp/ports/registrations_test.cpp
  yarp/ports/name_test.cpp yarp/ports/outgoing_test.cpp yarp/ports/port_output_test.cpp
  yarp/ports/port_test.cpp yarp/ports/recorded_test.cpp yarp/ports/node_test.cpp yarp/ports/udp_input_test.cpp)
servosim_module_sources(unit_tests yarp_protocol
  yarp/protocol/analog_sensors_test.cpp yarp/protocol/bottle_test.cpp yarp/protocol/bottle_text_test.cpp yarp/protocol/datagram_test.cpp
  yarp/protocol/property_file_test.cpp
  yarp/protocol/streaming_test.cpp)
servosim_module_sources(unit_tests yarp_server
  yarp/server/recorded_test.cpp yarp/server/requests_test.cpp yarp/server/sensor_server_test.cpp yarp/server/server_test.cpp
  yarp/server/streamed_test.cpp yarp/server/v4_methods_test.cpp yarp/server/v4_replay_test.cpp
  yarp/server/v4_test.cpp)
servosim_module_sources(unit_tests specification specification/reports_test.cpp)
target_link_libraries(unit_tests PRIVATE servosim_specification)
# No library exports these sources: the client in libController, and parts of the program.
servosim_module_sources(unit_tests product
  ${PROJECT_SOURCE_DIR}/src/cli/output.cpp
  ${PROJECT_SOURCE_DIR}/src/cli/secrets.cpp
  ${PROJECT_SOURCE_DIR}/src/controller_api/client/client.cpp
  ${PROJECT_SOURCE_DIR}/src/controller_api/client/client_device.cpp
  ${PROJECT_SOURCE_DIR}/src/controller_api/client/client_devices.cpp
  ${PROJECT_SOURCE_DIR}/src/controller_api/client/client_objects.cpp
  ${PROJECT_SOURCE_DIR}/src/controller_api/client/point_cloud.cpp
  ${PROJECT_SOURCE_DIR}/src/controller_api/client/ending.cpp
  ${PROJECT_SOURCE_DIR}/src/controller_api/client/motion.cpp
  ${PROJECT_SOURCE_DIR}/src/controller_api/client/radio_message.cpp
  ${PROJECT_SOURCE_DIR}/src/controller_api/c/wb_nodes.cpp)

servosim_test_binary(supervision_tests unit
  controller_api/server/session_tree_test.cpp controller_api/server/supervisor/fields_test.cpp
  controller_api/server/supervisor/motion_requests_test.cpp
  controller_api/server/supervisor/supervisor_server_test.cpp sim/drift_test.cpp sim/rebuild_test.cpp
  sim/solids_test.cpp sim/state_bytes_test.cpp)
target_link_libraries(supervision_tests PRIVATE PkgConfig::Xxhash)

# This program replaces malloc, so its tests are separate. Sanitizers replace malloc themselves.
if(NOT SERVOSIM_SANITIZE)
  servosim_test_binary(allocation_tests unit
    sim/allocation_test.cpp sim/growth_test.cpp support/counted_malloc.cpp wbt/copy_failure_test.cpp
    wbt/edit_failure_test.cpp
    yarp/ports/probe_failure_test.cpp yarp/protocol/allocation_test.cpp)
endif()

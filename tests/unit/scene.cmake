# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(scene_ball_range_test.cpp scene_checks_test.cpp scene_coupled_motors_test.cpp
  scene_elevation_grid_test.cpp scene_joint_axes_test.cpp scene_joint_extras_test.cpp
  scene_joints_test.cpp scene_mesh_file_test.cpp scene_propellers_test.cpp scene_references_test.cpp scene_robots_test.cpp
  scene_shapes_test.cpp scene_solid_sensors_test.cpp scene_values_test.cpp scene_world_values_test.cpp scene_wrong_nodes_test.cpp)

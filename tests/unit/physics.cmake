# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(physics_bodies_test.cpp physics_box_box_test.cpp physics_colliders_test.cpp
  physics_collision_filter_test.cpp physics_contact_order_test.cpp physics_cylinder_grid_test.cpp
  physics_cylinder_plane_test.cpp physics_damping_test.cpp physics_elevation_grid_test.cpp
  physics_extreme_contacts_test.cpp physics_gyroscopic_test.cpp physics_joint_memory_test.cpp
  physics_mass_extremes_test.cpp physics_mass_test.cpp physics_ode_sleep_test.cpp
  physics_overload_test.cpp physics_rigid_bodies_test.cpp
  physics_sleep_test.cpp physics_step_memory_test.cpp
  physics_structure_test.cpp physics_threads_test.cpp)

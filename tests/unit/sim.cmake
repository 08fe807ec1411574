# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(sim_extremes_test.cpp sim_impossible_test.cpp sim_muscles_test.cpp
  sim_nesting_test.cpp
  sim_simulation_test.cpp sim_trace_file_test.cpp sim_trace_reader_test.cpp sim_trace_test.cpp)

servosim_test_binary(supervision_tests unit controller_desk_motion_test.cpp controller_desk_test.cpp controller_session_tree_test.cpp sim_rebuild_test.cpp
  sim_drift_test.cpp sim_solids_test.cpp)

# Replaces malloc, so it stands alone; sanitizers replace it themselves.
if(NOT SERVOSIM_SANITIZE)
  servosim_test_binary(allocation_tests unit ../support/counted_malloc.cpp sim_allocation_test.cpp
    sim_growth_test.cpp wbt_copy_failure_test.cpp yarp_allocation_test.cpp)
endif()

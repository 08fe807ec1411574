# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(core_child_test.cpp core_diagnostics_test.cpp core_file_test.cpp
  core_hash_test.cpp core_math_test.cpp core_name_globs_test.cpp core_printable_test.cpp core_seldom_test.cpp
  core_temporary_folder_test.cpp)

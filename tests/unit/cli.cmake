# SPDX-License-Identifier: Apache-2.0
# The program is no library: its parts with something to test alone are compiled again.
servosim_unit_tests(cli_figure_test.cpp cli_text_table_test.cpp
  ${PROJECT_SOURCE_DIR}/src/cli/figure/figure_panel.cpp ${PROJECT_SOURCE_DIR}/src/cli/output.cpp
  ${PROJECT_SOURCE_DIR}/src/cli/figure/thinned_curve.cpp)

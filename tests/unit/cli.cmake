# SPDX-License-Identifier: Apache-2.0
# Of the program only what stands on its own.
servosim_unit_tests(cli_text_table_test.cpp ${PROJECT_SOURCE_DIR}/src/cli/text_table.cpp)

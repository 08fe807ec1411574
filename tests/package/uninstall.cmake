# SPDX-License-Identifier: Apache-2.0
# Uninstalls PREFIX: a file of somebody else stays, everything of ours goes, and a second time fails.
file(WRITE "${PREFIX}/lib/theirs.txt" "theirs")
set(uninstall ${CMAKE_COMMAND} -D MANIFEST=${PREFIX}.manifest -P ${SOURCE}/cmake/uninstall.cmake)
execute_process(COMMAND ${uninstall} ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE left LIST_DIRECTORIES true RELATIVE "${PREFIX}" "${PREFIX}/*")
if(NOT left STREQUAL "lib;lib/theirs.txt")
  message(FATAL_ERROR "left behind: ${left}")
endif()
execute_process(COMMAND ${uninstall} ERROR_VARIABLE errors RESULT_VARIABLE failed)
if(NOT failed OR NOT errors MATCHES "uninstalled already")
  message(FATAL_ERROR "uninstalling twice: ${errors}")
endif()

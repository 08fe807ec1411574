# SPDX-License-Identifier: Apache-2.0
# Runs FIRST and SECOND with the argument FOLDER and fails unless both print the same lines.
foreach(program FIRST SECOND)
  execute_process(COMMAND ${${program}} ${FOLDER} OUTPUT_VARIABLE ${program}_output
    RESULT_VARIABLE ${program}_result)
  if(NOT ${program}_result EQUAL 0)
    message(FATAL_ERROR "${${program}}: ${${program}_result}")
  endif()
endforeach()
if(NOT FIRST_output MATCHES "\\.wbt\n.*\\.wbt\n")
  message(FATAL_ERROR "fewer than two worlds: ${FIRST_output}")
endif()
if(NOT FIRST_output STREQUAL SECOND_output)
  message(FATAL_ERROR "not the same:\n${FIRST_output}\nand\n${SECOND_output}")
endif()
message(STATUS "same:\n${FIRST_output}")

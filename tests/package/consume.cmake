# SPDX-License-Identifier: Apache-2.0
# Configures, builds and runs the consumer project in the folder WORK, which is emptied first.
# OPTIONS tell how it finds servosim. RUN names the programs to build and run. Both are lists
# separated by |.
string(REPLACE "|" ";" OPTIONS "${OPTIONS}")
string(REPLACE "|" ";" RUN "${RUN}")
file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK} -G Ninja
  ${OPTIONS} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} --target ${RUN}
  COMMAND_ERROR_IS_FATAL ANY)
set(ENV{SERVOSIM_WORLD} ${WORLD})
foreach(program IN LISTS RUN)
  execute_process(COMMAND ${WORK}/${program} ${WORLD} OUTPUT_VARIABLE output
    COMMAND_ERROR_IS_FATAL ANY)
  # Each program prints the target of its motor.
  if(NOT output MATCHES "^(shoulder -0\\.80|slider 0\\.70)\n$")
    message(FATAL_ERROR "${program} printed: ${output}")
  endif()
endforeach()

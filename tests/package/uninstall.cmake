# SPDX-License-Identifier: Apache-2.0
# Uninstalls from WORK. All files of servosim are removed and no others. The name of the folder is a
# pattern that does not match itself.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(uninstall ${CMAKE_COMMAND} -D "MANIFEST=${WORK}/tools [old].manifest"
  -P ${SOURCE}/cmake/uninstall.cmake)
function(install prefix)
  execute_process(COMMAND ${CMAKE_COMMAND} -D BUILD=${BUILD} -D "PREFIX=${prefix}" -D KEEP=ON
    -D "LIST=${WORK}/tools [old].manifest" -P ${SOURCE}/tests/package/install.cmake
    WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
# Uninstalls, and checks that only `wanted` is left in WORK.
function(expect_left wanted)
  execute_process(COMMAND ${uninstall} ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find . -mindepth 1 -printf "%P|" WORKING_DIRECTORY "${WORK}"
    OUTPUT_VARIABLE left COMMAND_ERROR_IS_FATAL ANY)
  if(NOT left STREQUAL wanted)
    message(FATAL_ERROR "left behind: ${left}, not ${wanted}")
  endif()
endfunction()

set(place "${WORK}/tools [old]")
file(WRITE "${place}/lib/theirs.txt" "theirs")
install("${place}")
expect_left("tools [old]|tools [old]/lib|tools [old]/lib/theirs.txt|")
execute_process(COMMAND ${uninstall} ERROR_VARIABLE errors RESULT_VARIABLE failed)
string(REGEX REPLACE "[ \n]+" " " errors "${errors}")  # CMake breaks lines
if(NOT failed OR NOT errors MATCHES "uninstalled already")
  message(FATAL_ERROR "uninstalling twice: ${errors}")
endif()

# Folders that the installation made are removed, too, however the prefix was given and even if it
# was installed twice. A folder that existed before stays.
file(REMOVE "${place}/lib/theirs.txt")
install("tools [old]/new/deep")
install("${place}/new/deep")
expect_left("tools [old]|tools [old]/lib|")
file(REMOVE_RECURSE "${place}")

execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix "${WORK}/a\;b"
  OUTPUT_QUIET ERROR_VARIABLE errors RESULT_VARIABLE failed)
string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
if(NOT failed OR NOT errors MATCHES "without semicolons" OR EXISTS "${WORK}/a\;b")
  message(FATAL_ERROR "a prefix with a semicolon: ${failed} ${errors}")
endif()

# SPDX-License-Identifier: Apache-2.0
# Builds controllers of a project with make, in WORK, with WEBOTS_HOME for their Makefiles, and runs
# them.
file(REMOVE_RECURSE "${WORK}")
file(COPY "${SOURCE}/tests/programs/projects/made/" DESTINATION "${WORK}/my project")
set(ENV{SERVOSIM_WORLD} "${WORK}/my project/worlds/made.wbt")
set(ENV{LD_LIBRARY_PATH} "${WEBOTS_HOME}/lib/controller:${WORK}/my project/libraries/mix")

function(build folder)
  execute_process(COMMAND ${MAKE} ${ARGN} WORKING_DIRECTORY "${WORK}/my project/${folder}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(expect name said)
  execute_process(COMMAND "${WORK}/my project/controllers/${name}/${name}" OUTPUT_VARIABLE output
    COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output STREQUAL "${said}\n")
    message(FATAL_ERROR "${name} printed: ${output}")
  endif()
endfunction()

set(ENV{WEBOTS_HOME} "${WEBOTS_HOME}")
build(libraries/mix)
build(controllers/modern)
expect(modern "modern 30")
build(controllers/cxx debug VERBOSE=1)
expect(cxx "cxx 0")
build(controllers/objects)
expect(objects "objects: arm after 24 ms")

# The link line is from the time when the libraries were in lib/.
execute_process(COMMAND sh -c
    "$CC -I'${WEBOTS_HOME}/include/controller/c' controllers/ancient/ancient.c -o old_line \
     -L'${WEBOTS_HOME}/lib' -lController && LD_LIBRARY_PATH='${WEBOTS_HOME}/lib' ./old_line"
  WORKING_DIRECTORY "${WORK}/my project" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "ancient 0\n")
  message(FATAL_ERROR "with the library in lib/: ${output}")
endif()

find_program(PYTHON python3)
if(PYTHON AND NOT SANITIZED)
  set(ENV{PYTHONPATH} "${WEBOTS_HOME}/lib/controller/python")
  set(ENV{PYTHONDONTWRITEBYTECODE} 1)
  execute_process(COMMAND ${PYTHON} -c
    "from controller import Robot; robot = Robot(); robot.step(24); print(robot.name, robot.time)"
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output STREQUAL "arm 0.024\n")
    message(FATAL_ERROR "Python printed: ${output}")
  endif()
endif()

# The include lines of old Makefiles do not work with spaces.
file(CREATE_LINK "${WEBOTS_HOME}" "${WORK}/home" SYMBOLIC)
set(ENV{WEBOTS_HOME} "${WORK}/home")
set(ENV{WEBOTS_HOME_PATH} "${WORK}/home")
foreach(name middle ancient)
  build(controllers/${name})
  expect(${name} "${name} 0")
endforeach()

build(controllers/modern clean)
if(EXISTS "${WORK}/my project/controllers/modern/build"
    OR EXISTS "${WORK}/my project/controllers/modern/modern")
  message(FATAL_ERROR "make clean leaves something behind")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=WEBOTS_HOME --unset=WEBOTS_HOME_PATH
  ${MAKE} -f "${WORK}/home/resources/Makefile.include" RESULT_VARIABLE failed ERROR_VARIABLE errors
  WORKING_DIRECTORY "${WORK}")
if(NOT failed OR NOT errors MATCHES "WEBOTS_HOME is not set")
  message(FATAL_ERROR "without WEBOTS_HOME: ${errors}")
endif()

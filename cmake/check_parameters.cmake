# SPDX-License-Identifier: Apache-2.0
# Fails if a parameter of a test is printed as bytes or as an address, which differ from run to run.
# Its type then needs a PrintTo().
#
# Run: cmake -DBINARIES=FILE,FILE... -P cmake/check_parameters.cmake
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" binaries "${BINARIES}")
foreach(binary ${binaries})
  execute_process(COMMAND ${binary} --gtest_list_tests OUTPUT_VARIABLE list RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${binary} --gtest_list_tests: ${result}")
  endif()
  string(REGEX MATCHALL "[^\n]*# GetParam\\(\\) = [^\n]*(-byte object|0x[0-9a-f]+ pointing|0x[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+)[^\n]*" bad "${list}")
  foreach(line ${bad})
    message(SEND_ERROR "${binary}: ${line}")
  endforeach()
endforeach()

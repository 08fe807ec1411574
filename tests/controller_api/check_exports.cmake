# SPDX-License-Identifier: Apache-2.0
# cmake -D LIBRARY=… -D HEADERS=folder -D NM=… -P check_exports.cmake
# libController exports exactly the functions that its headers declare and those that
# python/controller also needs. It depends on neither C++ nor ODE.
file(GLOB_RECURSE headers ${HEADERS}/*.h)
list(FILTER headers EXCLUDE REGEX "/api6/")  # inline functions and macros
set(declared)
foreach(header ${headers})
  file(READ ${header} text)
  string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" "" text "${text}")
  string(REPLACE "\\\n" "" text "${text}")
  string(REGEX REPLACE "#[^\n]*" "" text "${text}")  # macros
  string(REGEX MATCHALL "wbu?_[a-z0-9_]+\\(" found "${text}")
  list(APPEND declared ${found})
endforeach()
list(TRANSFORM declared REPLACE "\\(" "")
list(APPEND declared servosim_report_endings)
list(SORT declared)
list(LENGTH declared count)
if(count LESS 100)
  message(FATAL_ERROR "only ${count} functions found in ${HEADERS}")
endif()

execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+\n" exported "${symbols}")
list(TRANSFORM exported REPLACE "\n" "")
list(SORT exported)

set(missing ${declared})
list(REMOVE_ITEM missing ${exported})
set(unknown ${exported})
list(REMOVE_ITEM unknown ${declared})
if(missing OR unknown)
  message(FATAL_ERROR "declared but not exported: ${missing}\nexported but not declared: ${unknown}")
endif()

if(SANITIZED)  # the sanitizers bring libstdc++
  return()
endif()
execute_process(COMMAND ldd ${LIBRARY} OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
if(needed MATCHES "(libstdc\\+\\+|libgcc_s|libode|libfmt|libservosim)")
  message(FATAL_ERROR "${LIBRARY} needs ${CMAKE_MATCH_1}")
endif()

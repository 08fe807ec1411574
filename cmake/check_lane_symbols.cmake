# SPDX-License-Identifier: Apache-2.0
# Sources that are compiled for instructions which not every processor has must define no weak
# symbol. The linker could take a weak function for the same one of another source. DW.ref is the
# address of a function of the C++ library, which is the same for all.
#
# Run: cmake -DNM=nm "-DOBJECTS=a.o|b.o" -P cmake/check_lane_symbols.cmake
string(REPLACE "|" ";" objects "${OBJECTS}")
if(NOT objects)
  message(FATAL_ERROR "no object files are named: -DOBJECTS=FILE|FILE")
endif()
foreach(object ${objects})
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" weak "${symbols}")
  list(FILTER weak EXCLUDE REGEX " DW\\.ref\\.")
  if(weak)
    list(JOIN weak "\n" weak)
    message(FATAL_ERROR "${object} defines functions that the linker may take for those of other "
      "sources; make them always_inline, or put them into an anonymous namespace:\n${weak}")
  endif()
endforeach()

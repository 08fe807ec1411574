# SPDX-License-Identifier: Apache-2.0
# The target `docs`: Doxygen makes the reference of the C and C++ API from the headers, in docs/html
# of the build folder. A warning is an error.
find_program(DOXYGEN doxygen)
mark_as_advanced(DOXYGEN)
set(DOCS_OUTPUT ${PROJECT_BINARY_DIR}/docs)
if(DOXYGEN)
  file(MAKE_DIRECTORY ${DOCS_OUTPUT})
  configure_file(cmake/doxygen/Doxyfile.in ${DOCS_OUTPUT}/Doxyfile @ONLY)
  add_custom_target(docs COMMAND ${DOXYGEN} ${DOCS_OUTPUT}/Doxyfile VERBATIM USES_TERMINAL
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
else()
  add_custom_target(docs VERBATIM
    COMMAND ${CMAKE_COMMAND} -E echo "doxygen is not installed" COMMAND ${CMAKE_COMMAND} -E false)
endif()

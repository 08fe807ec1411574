# SPDX-License-Identifier: Apache-2.0
# Finds the Open Dynamics Engine built in double precision: ODE_VERSION, target ODE::ODE.
find_path(ODE_INCLUDE_DIR ode/ode.h)
find_library(ODE_LIBRARY ode)
if(ODE_INCLUDE_DIR AND EXISTS ${ODE_INCLUDE_DIR}/ode/version.h)
  file(STRINGS ${ODE_INCLUDE_DIR}/ode/version.h line REGEX "define dODE_VERSION ")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" ODE_VERSION "${line}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ODE REQUIRED_VARS ODE_LIBRARY ODE_INCLUDE_DIR
  VERSION_VAR ODE_VERSION)
if(ODE_FOUND AND NOT TARGET ODE::ODE)
  add_library(ODE::ODE UNKNOWN IMPORTED)
  set_target_properties(ODE::ODE PROPERTIES IMPORTED_LOCATION ${ODE_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ODE_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS dIDEDOUBLE)
endif()
mark_as_advanced(ODE_INCLUDE_DIR ODE_LIBRARY)

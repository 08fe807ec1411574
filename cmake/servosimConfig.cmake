# SPDX-License-Identifier: Apache-2.0
# find_package(servosim) gives
#   servosim::servosim          the C++ library, <servosim/...>
#   servosim::controller        the C library of controllers, <webots/...>
#   servosim::cpp_controller    the C++ API over it, <webots/Robot.hpp> ...
#   servosim::ode_joint_drive   <servosim/ode_joint_drive.h> for programs with ODE of their own
include(${CMAKE_CURRENT_LIST_DIR}/servosimTargets.cmake)
foreach(component ${servosim_FIND_COMPONENTS})
  if(servosim_FIND_REQUIRED_${component})
    set(servosim_FOUND FALSE)
    set(servosim_NOT_FOUND_MESSAGE "servosim has no components; ${component} was asked for")
  endif()
endforeach()

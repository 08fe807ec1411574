# SPDX-License-Identifier: Apache-2.0
# What is installed, where, and how others find it (CMake, pkg-config); how it is removed again; and
# packages. No installed file has an absolute path, so an installed folder may be moved.
include(CMakePackageConfigHelpers)
set(SERVOSIM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/servosim)
set(SERVOSIM_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# This runs before anything is installed.
set(manifest ${PROJECT_BINARY_DIR}/servosim_manifest.txt)
install(CODE "set(manifest \"${manifest}\")")
install(SCRIPT cmake/begin_manifest.cmake)

# Sets `out` to the relative path from one folder of an installation to another.
function(servosim_way out from to)
  file(RELATIVE_PATH way /${from} /${to})
  set(${out} ${way} PARENT_SCOPE)
endfunction()

# Programs find the libraries at $ORIGIN/<way>; libraries find each other in their own folder.
servosim_way(way ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_LIBDIR})
set_target_properties(servosim_program PROPERTIES INSTALL_RPATH "$ORIGIN/${way}")

install(TARGETS servosim EXPORT servosimTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS servosim_ode_joint_drive EXPORT servosimTargets)
install(TARGETS servosim_controller servosim_cpp_controller EXPORT servosimTargets
  LIBRARY DESTINATION ${SERVOSIM_HOME_DIR}/lib/controller)
foreach(name libController.so libCppController.so)  # links
  install(FILES ${PROJECT_BINARY_DIR}/lib/servosim/lib/${name} DESTINATION ${SERVOSIM_HOME_DIR}/lib)
endforeach()
install(TARGETS servosim_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
servosim_way(way ${SERVOSIM_HOME_DIR} ${CMAKE_INSTALL_BINDIR}/servosim)
foreach(name webots webots-controller)  # these are links too
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/links)
  file(CREATE_LINK ${way} ${PROJECT_BINARY_DIR}/links/${name} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/links/${name} DESTINATION ${SERVOSIM_HOME_DIR})
endforeach()
install(TARGETS servosim_mesh_reader servosim_template_expander servosim_downloader RUNTIME DESTINATION ${SERVOSIM_HOME_DIR})
install(TARGETS servosim_rendering LIBRARY DESTINATION ${SERVOSIM_HOME_DIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/servosim/fonts DESTINATION ${SERVOSIM_HOME_DIR})
install(DIRECTORY include/servosim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/webots DESTINATION ${SERVOSIM_HOME_DIR}/include/controller/c)
install(DIRECTORY include/webots_cpp/webots DESTINATION ${SERVOSIM_HOME_DIR}/include/controller/cpp)
set(python_packages python/controller)
if(TARGET servosim_python)
  list(APPEND python_packages python/servosim python/pytest_servosim)
  install(TARGETS servosim_python
    LIBRARY DESTINATION ${SERVOSIM_HOME_DIR}/lib/controller/python/servosim)
endif()
install(DIRECTORY ${python_packages} DESTINATION ${SERVOSIM_HOME_DIR}/lib/controller/python
  FILES_MATCHING PATTERN *.py PATTERN *.pyi PATTERN py.typed PATTERN *.wbt PATTERN __pycache__ EXCLUDE)
install(DIRECTORY webots_home/ DESTINATION ${SERVOSIM_HOME_DIR})
install(FILES LICENSE CHANGELOG.md debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN CMakeLists.txt EXCLUDE)
install(PROGRAMS packaging/ci/verify DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/servosim/ci)
if(EXISTS ${PROJECT_SOURCE_DIR}/man)
  install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN *.1)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/completions)
  install(DIRECTORY completions/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
endif()

# find_package(servosim), in the build folder and installed.
set(package_files ${PROJECT_BINARY_DIR}/servosimConfig.cmake
  ${PROJECT_BINARY_DIR}/servosimConfigVersion.cmake)
configure_file(cmake/servosimConfig.cmake ${PROJECT_BINARY_DIR} COPYONLY)
if(PROJECT_VERSION_MAJOR EQUAL 0)  # the SOVERSION is chosen in the same way
  set(compatibility SameMinorVersion)
else()
  set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/servosimConfigVersion.cmake
  COMPATIBILITY ${compatibility})
export(EXPORT servosimTargets NAMESPACE servosim:: FILE ${PROJECT_BINARY_DIR}/servosimTargets.cmake)
install(EXPORT servosimTargets NAMESPACE servosim:: DESTINATION ${SERVOSIM_CMAKE_DIR})
install(FILES ${package_files} DESTINATION ${SERVOSIM_CMAKE_DIR})

# pkg-config
servosim_way(SERVOSIM_WAY_TO_PREFIX ${SERVOSIM_PKGCONFIG_DIR} "")
string(REGEX REPLACE "/$" "" SERVOSIM_WAY_TO_PREFIX "${SERVOSIM_WAY_TO_PREFIX}")
foreach(name servosim servosim-controller servosim-ode-joint-drive)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${SERVOSIM_PKGCONFIG_DIR})
endforeach()

install(SCRIPT cmake/write_manifest.cmake)
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall USES_TERMINAL VERBATIM COMMAND ${CMAKE_COMMAND}
    -D MANIFEST=${manifest} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)
  include(ServosimPackage)
endif()

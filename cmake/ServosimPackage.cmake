# SPDX-License-Identifier: Apache-2.0
# cpack -G DEB and cpack -G TGZ, from the build folder.
set(contact "servosim maintainers <maintainers@servosim.invalid>")
if(NOT "$ENV{DEBEMAIL}" STREQUAL "")  # Debian's own tools use this variable
  set(contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_CONTACT ${contact} CACHE STRING "Who makes the packages: Name <address>")
set(CPACK_PACKAGE_NAME servosim)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_MONOLITHIC_INSTALL TRUE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"servosim loads .wbt worlds, steps their bodies, joints and motors on the
Open Dynamics Engine, and runs the robots' controllers in C, C++ and Python
unchanged, without a display. The package holds the program, the C++ library
with its headers, and the libraries and modules that controllers use.")
# A build with debug information gives them a package of their own, servosim-dbgsym.
if(CMAKE_BUILD_TYPE MATCHES "^(Debug|RelWithDebInfo)$")
  set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
  set(CPACK_STRIP_FILES FALSE)  # dbgsym strips, and keeps what it removes
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib
  ${PROJECT_BINARY_DIR}/lib/controller)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# Each patch version may add functions, but removes none: docs/reference/compatibility.md.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)
# servosim builds controllers from their sources, runs controllers in Python, and draws with
# gnuplot. It downloads files that worlds name by https, with the certificates of ca-certificates.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, gcc | c-compiler, g++ | c++-compiler, libc6-dev, make, python3, gnuplot-nox | gnuplot")

# Debian's changelog is one entry that refers to CHANGELOG.md.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog ${PROJECT_BINARY_DIR}/packaging/changelog)
file(CONFIGURE OUTPUT ${changelog} CONTENT
"servosim (${PROJECT_VERSION}) unstable; urgency=medium

  * CHANGELOG.md, next to this file, says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(ARCHIVE_CREATE OUTPUT ${changelog}.gz PATHS ${changelog} FORMAT raw COMPRESSION GZip
  COMPRESSION_LEVEL 9)
install(CODE "set(changelog \"${changelog}.gz\")\nset(folder \"${CMAKE_INSTALL_DOCDIR}\")")
install(CODE [[
  if("$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}" MATCHES "/_CPack_Packages/.*DEB")
    file(INSTALL "${changelog}" DESTINATION "${CMAKE_INSTALL_PREFIX}/${folder}")
  endif()
]])
include(CPack)

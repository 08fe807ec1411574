# SPDX-License-Identifier: Apache-2.0
# Runs before an installation. It makes the installation folder absolute, and finds `floor`: the
# innermost folder of its path that existed before, which uninstalling must leave.
if("$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}" MATCHES "[;\n]")
  message(FATAL_ERROR "CMake cannot list files below '$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}', so that "
    "they could not be uninstalled. Choose a prefix without semicolons and line ends.")
endif()
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX)
if(NOT "$ENV{DESTDIR}" STREQUAL "")
  set(root "$ENV{DESTDIR}")
  cmake_path(ABSOLUTE_PATH root)
  set(ENV{DESTDIR} "${root}")
endif()
string(REGEX REPLACE "/+$" "" root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(floor "${root}")
while(NOT EXISTS "${floor}/")
  cmake_path(GET floor PARENT_PATH floor)
endwhile()
# In a second installation the folders of the first one still belong to this project.
if(EXISTS "${manifest}")
  file(READ "${manifest}" last)
  string(FIND "${last}" "\n${root}/" at)
  if(NOT at EQUAL -1)
    string(FIND "${last}" "\n" end)
    string(SUBSTRING "${last}" 0 ${end} floor)
  endif()
endif()

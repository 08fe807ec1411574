# SPDX-License-Identifier: Apache-2.0
# Runs after an installation and writes the list that uninstalling reads. Installations of cpack do
# not change it.
if(NOT "${root}" MATCHES "/_CPack_Packages/")
  string(REPLACE ";" "\n$ENV{DESTDIR}" files "$ENV{DESTDIR}${CMAKE_INSTALL_MANIFEST_FILES}")
  file(WRITE "${manifest}" "${floor}\n${files}\n")
endif()

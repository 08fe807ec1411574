# SPDX-License-Identifier: Apache-2.0
# After an installation: writes the list that uninstalling reads. cpack leaves it alone.
if(NOT "${root}" MATCHES "/_CPack_Packages/")
  string(REPLACE ";" "\n$ENV{DESTDIR}" files "$ENV{DESTDIR}${CMAKE_INSTALL_MANIFEST_FILES}")
  file(WRITE "${manifest}" "${floor}\n${files}\n")
endif()

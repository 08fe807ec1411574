# SPDX-License-Identifier: Apache-2.0
# Installs BUILD into PREFIX, which is emptied first, and lists it in PREFIX.manifest: what the
# build folder knows of its last real installation stays.
set(manifest ${BUILD}/servosim_manifest.txt)
file(REMOVE_RECURSE "${PREFIX}")
if(EXISTS ${manifest})
  file(RENAME ${manifest} ${manifest}.kept)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${manifest} "${PREFIX}.manifest")
if(EXISTS ${manifest}.kept)
  file(RENAME ${manifest}.kept ${manifest})
endif()

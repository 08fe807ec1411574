# SPDX-License-Identifier: Apache-2.0
# Installs BUILD into PREFIX, which is emptied first unless KEEP is set, and writes the list of
# files to LIST. The build folder's record of its last real installation stays as it is.
set(manifest ${BUILD}/servosim_manifest.txt)
if(NOT KEEP)
  file(REMOVE_RECURSE "${PREFIX}" "${LIST}")
endif()
if(EXISTS ${manifest})
  file(RENAME ${manifest} ${manifest}.kept)
endif()
if(EXISTS "${LIST}")
  file(RENAME "${LIST}" ${manifest})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${manifest} "${LIST}")
if(EXISTS ${manifest}.kept)
  file(RENAME ${manifest}.kept ${manifest})
endif()

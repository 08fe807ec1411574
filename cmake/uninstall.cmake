# SPDX-License-Identifier: Apache-2.0
# Removes what the last installation from this build folder put there, then the folders that this
# leaves empty. MANIFEST: a list of which the first line is the prefix.
cmake_minimum_required(VERSION 3.25)
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "There is no ${MANIFEST}: nothing was installed from this build folder, "
    "or it was uninstalled already.")
endif()
file(STRINGS "${MANIFEST}" files)
list(POP_FRONT files prefix)

# In a prefix of one's own no folder stays behind; those of the system are not ours.
set(shared FALSE)
if(prefix MATCHES "(^|/)usr(/local)?/?$" OR prefix MATCHES "^/*$")
  set(shared TRUE)
endif()
function(remove_empty_folders folder)
  string(FIND "${folder}" "${prefix}/" at)
  while(at EQUAL 0)
    file(GLOB left LIST_DIRECTORIES true "${folder}/*" "${folder}/.*")
    if(left OR (shared AND NOT folder MATCHES "/servosim(/|$)"))
      return()
    endif()
    file(REMOVE_RECURSE "${folder}")
    cmake_path(GET folder PARENT_PATH folder)
    string(FIND "${folder}" "${prefix}/" at)
  endwhile()
endfunction()

foreach(file IN LISTS files)
  if(EXISTS "${file}" OR IS_SYMLINK "${file}")
    message("Removing ${file}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E rm "${file}" RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "Have you the right to remove ${file}? Nothing more was removed; "
        "uninstall goes on from here when run again.")
    endif()
  endif()
  cmake_path(GET file PARENT_PATH folder)
  remove_empty_folders("${folder}")
endforeach()
file(REMOVE "${MANIFEST}")

# SPDX-License-Identifier: Apache-2.0
# Removes what the last installation from this build folder has installed, and then the folders that
# this leaves empty. MANIFEST is a list whose first line is the innermost folder that existed
# before. It is read line by line, and never as a CMake list, since names may contain brackets.
cmake_minimum_required(VERSION 3.25)
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "There is no ${MANIFEST}: nothing was installed from this build folder, "
    "or it was uninstalled already.")
endif()
file(READ "${MANIFEST}" lines)
macro(next_line out)
  string(FIND "${lines}" "\n" end)
  string(SUBSTRING "${lines}" 0 ${end} ${out})
  math(EXPR end "${end} + 1")
  string(SUBSTRING "${lines}" ${end} -1 lines)
endmacro()
next_line(floor)

# In a folder that only this project uses no folder stays behind. Folders of the system do not
# belong to it.
set(shared FALSE)
if(floor MATCHES "(^|/)usr(/local)?$" OR floor STREQUAL "")
  set(shared TRUE)
endif()
# rmdir refuses a folder with anything in it, whatever its name is.
function(remove_empty_folders folder)
  string(FIND "${folder}" "${floor}/" at)
  while(at EQUAL 0 AND NOT folder STREQUAL "/")
    if(shared AND NOT folder MATCHES "/servosim(/|$)")
      return()
    endif()
    if(EXISTS "${folder}")
      execute_process(COMMAND rmdir -- "${folder}" RESULT_VARIABLE failed ERROR_QUIET)
      if(failed)
        return()
      endif()
    endif()
    cmake_path(GET folder PARENT_PATH folder)
    string(FIND "${folder}" "${floor}/" at)
  endwhile()
endfunction()

while(NOT lines STREQUAL "")
  next_line(file)
  if(EXISTS "${file}" OR IS_SYMLINK "${file}")
    message("Removing ${file}")
    file(REMOVE "${file}")  # it prints nothing when it fails
    if(EXISTS "${file}" OR IS_SYMLINK "${file}")
      message(FATAL_ERROR "Have you the right to remove ${file}? Nothing more was removed; "
        "uninstall goes on from here when run again.")
    endif()
  endif()
  cmake_path(GET file PARENT_PATH folder)
  remove_empty_folders("${folder}")
endwhile()
file(REMOVE "${MANIFEST}")

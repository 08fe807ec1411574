# SPDX-License-Identifier: Apache-2.0
# Moves an installation. None of its files may contain the former path.
file(REMOVE_RECURSE "${TO}")
file(RENAME "${FROM}" "${TO}")
file(GLOB_RECURSE files "${TO}/*.cmake" "${TO}/*.pc" "${TO}/*.h")
foreach(file IN LISTS files)
  file(STRINGS "${file}" lines REGEX "first place|${SOURCE}|${BUILD}")
  if(lines)
    message(SEND_ERROR "${file} knows a place: ${lines}")
  endif()
endforeach()

# SPDX-License-Identifier: Apache-2.0
# cmake -DFILES=protos/*.proto -DOUTPUT=stand_in_texts.inc -P embed_texts.cmake
# Writes the files that match a glob as rows of C++ string literals, in the order of their names.
file(GLOB files ${FILES})
list(SORT files)
set(rows "")
foreach(path ${files})
  get_filename_component(name ${path} NAME_WLE)
  file(READ ${path} text)
  if(text MATCHES "\\)text\"")
    message(FATAL_ERROR "${path} contains the end of a C++ string literal")
  endif()
  string(APPEND rows "{\"${name}\"sv, R\"text(${text})text\"sv},\n")
endforeach()
file(WRITE ${OUTPUT}.new "${rows}")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})

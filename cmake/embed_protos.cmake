# SPDX-License-Identifier: Apache-2.0
# cmake -DFOLDER=protos -DOUTPUT=stand_in_texts.inc -P embed_protos.cmake
# Writes the PROTO files of a folder as rows of C++ string literals, in the order of their names.
file(GLOB files ${FOLDER}/*.proto)
list(SORT files)
set(rows "")
foreach(path ${files})
  get_filename_component(name ${path} NAME_WLE)
  file(READ ${path} text)
  if(text MATCHES "\\)proto\"")
    message(FATAL_ERROR "${path} contains the end of a C++ string literal")
  endif()
  string(APPEND rows "{\"${name}\"sv, R\"proto(${text})proto\"sv},\n")
endforeach()
file(WRITE ${OUTPUT}.new "${rows}")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})

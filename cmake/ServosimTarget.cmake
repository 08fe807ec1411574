# SPDX-License-Identifier: Apache-2.0
# Flags of every target of this project; never directory-wide, so that nothing leaks to users.
function(servosim_target name)
  # No contraction: the same source must give the same bits wherever it is inlined.
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off)
  if(SERVOSIM_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(SERVOSIM_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${SERVOSIM_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND SERVOSIM_SANITIZE MATCHES "undefined")
      # These two need a C++ run time, which a controller in C does not link.
      target_compile_options(${name} PRIVATE -fno-sanitize=vptr,function)
    endif()
    target_link_options(${name} PRIVATE -fsanitize=${SERVOSIM_SANITIZE})
  endif()
endfunction()

# servosim_sources(TARGET FILE...): adds sources of one module, which are compiled together in batches of
# at most SERVOSIM_UNITY_FILES: the headers are read once a batch. What stands in an anonymous namespace
# has a name of its own within its module.
function(servosim_sources target)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME module)
  servosim_module_sources(${target} ${module} ${ARGN})
endfunction()

# The same with the module's name; once for each module of a target.
function(servosim_module_sources target module)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  target_sources(${target} PRIVATE ${ARGN})
  if(NOT SERVOSIM_UNITY_FILES GREATER 1)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  list(LENGTH ARGN count)
  math(EXPR batches "(${count} + ${SERVOSIM_UNITY_FILES} - 1) / ${SERVOSIM_UNITY_FILES}")
  set(index 0)
  foreach(file ${ARGN})
    math(EXPR batch "${index} * ${batches} / ${count}")
    math(EXPR index "${index} + 1")
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES
      UNITY_GROUP ${module}_${batch})
  endforeach()
endfunction()

# What most sources include, read once for the target.
function(servosim_precompile target)
  if(SERVOSIM_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

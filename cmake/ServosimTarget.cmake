# SPDX-License-Identifier: Apache-2.0
# The flags of every target of this project. They are never set for a directory, so that users do
# not get them.
function(servosim_target name)
  # Contraction is off, since the same source must give the same bits wherever it is inlined.
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off)
  if(SERVOSIM_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(SERVOSIM_ASSERTIONS)
    target_compile_definitions(${name} PRIVATE SERVOSIM_ASSERTIONS _GLIBCXX_ASSERTIONS)
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

# For a target of the product: to ignore a [[nodiscard]] result is an error. (.clang-tidy names the functions
# of the C library whose results count.)
function(servosim_looks_at_results name)
  target_compile_options(${name} PRIVATE -Werror=unused-result)
endfunction()

# servosim_sources(TARGET FILE...): adds the sources of one module. They are compiled together, in
# batches of at most SERVOSIM_UNITY_FILES, so that the headers are read once per batch. A name in an
# anonymous namespace must therefore be unique within its module. (CMake's UNITY_BUILD does the same
# with absolute paths, for which a compiler cache cannot be shared between clones.)
function(servosim_sources target)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME module)
  servosim_module_sources(${target} ${module} ${ARGN})
endfunction()

# The same with the name of the module. It is called once for each module of a target.
function(servosim_module_sources target module)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set_property(TARGET ${target} APPEND PROPERTY SERVOSIM_FILES ${ARGN})
  set(files "")
  # Sources with flags of their own, and generated ones, are compiled one by one.
  foreach(file ${ARGN})
    if(TARGET servosim)  # a source of the library keeps its flags in tests that compile it again
      get_source_file_property(options ${file} TARGET_DIRECTORY servosim COMPILE_OPTIONS)
      if(options)
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${options}"
          SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endif()
    get_source_file_property(options ${file} COMPILE_OPTIONS)
    get_source_file_property(definitions ${file} COMPILE_DEFINITIONS)
    cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${file} is_ours)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${file} is_made)
    if(options OR definitions OR is_made OR NOT is_ours OR NOT SERVOSIM_UNITY_FILES GREATER 1)
      target_sources(${target} PRIVATE ${file})
    else()
      list(APPEND files ${file})
    endif()
  endforeach()
  list(LENGTH files count)
  if(count EQUAL 0)
    return()
  endif()
  get_target_property(modules ${target} SERVOSIM_MODULES)
  if(module IN_LIST modules)
    message(FATAL_ERROR "${target} has sources of ${module} already: name them in one call")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY SERVOSIM_MODULES ${module})
  math(EXPR batches "(${count} + ${SERVOSIM_UNITY_FILES} - 1) / ${SERVOSIM_UNITY_FILES}")
  foreach(batch RANGE 1 ${batches})
    math(EXPR first "(${batch} - 1) * ${count} / ${batches}")
    math(EXPR length "${batch} * ${count} / ${batches} - ${first}")
    list(SUBLIST files ${first} ${length} members)
    set(text "")
    foreach(file ${members})
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(APPEND text "#include \"${file}\"\n")
    endforeach()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}/${module}_${batch}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "${text}\n" @ONLY)
    target_sources(${target} PRIVATE ${source})
  endforeach()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

# The headers that most sources include are read once for the target.
function(servosim_precompile target)
  if(SERVOSIM_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# Makes OUTPUT, which has the files of FOLDER that match GLOB as string literals, for a source of TARGET in
# the present folder to include.
function(servosim_embed_texts target folder glob output)
  file(GLOB texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${glob})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${PROJECT_SOURCE_DIR}/${folder}/${glob}" -DOUTPUT=${made}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
    DEPENDS ${texts} ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake VERBATIM)
  string(REPLACE "/" "_" name ${target}_${folder})
  add_custom_target(${name} DEPENDS ${made})
  add_dependencies(${target} ${name})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

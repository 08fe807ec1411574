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

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
    target_link_options(${name} PRIVATE -fsanitize=${SERVOSIM_SANITIZE})
  endif()
endfunction()

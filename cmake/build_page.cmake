# SPDX-License-Identifier: Apache-2.0
# cmake -DNODE=… -DNPM=… -DSOURCE=web -DFOLDER=build/web -P build_page.cmake
#
# Builds the page of SOURCE in FOLDER: replay.html, and the same as a string literal,
# replay_page.inc. Packages are installed once for each lock file. Where the page cannot be built
# the literal is empty, and the next build tries again.
cmake_minimum_required(VERSION 3.25)
set(output ${FOLDER}/replay_page.inc)

function(without_page reason)
  message("The page of `servosim view` is not built: ${reason}")
  if(NOT EXISTS ${output})
    file(WRITE ${output} "\"\"\n")
  endif()
  file(REMOVE ${FOLDER}/replay.html)  # src/view/CMakeLists.txt says why
endfunction()

execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
  without_page("node 18 or later is needed, and ${NODE} is ${version}")
  return()
endif()

# The build is in the build folder, so that the sources stay as they are and several builds do not
# meet.
file(MAKE_DIRECTORY ${FOLDER})
file(REMOVE_RECURSE ${FOLDER}/src)
foreach(name src build.mjs package.json package-lock.json .npmrc)
  file(COPY ${SOURCE}/${name} DESTINATION ${FOLDER})
endforeach()
file(SHA256 ${FOLDER}/package-lock.json lock)
set(stamp ${FOLDER}/installed.txt)
set(installed "")
if(EXISTS ${stamp})
  file(READ ${stamp} installed)
endif()
if(NOT installed STREQUAL lock)
  execute_process(COMMAND ${NPM} ci --omit=dev --no-progress WORKING_DIRECTORY ${FOLDER}
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    without_page("`npm ci` failed in ${FOLDER}:\n${text}")
    return()
  endif()
  file(WRITE ${stamp} ${lock})
endif()
execute_process(COMMAND ${NODE} build.mjs ${FOLDER}/replay.html ${output} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The page of `servosim view` has an error")
endif()

# SPDX-License-Identifier: Apache-2.0
# Makes the Debian package in WORK, checks its content, and runs the program of the unpacked
# package.
file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND ${CPACK} -G DEB --config ${BUILD}/CPackConfig.cmake -B ${WORK}
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cpack failed: ${output}")
endif()
file(GLOB package ${WORK}/servosim_*.deb)
execute_process(COMMAND dpkg-deb --field ${package} OUTPUT_VARIABLE fields
  COMMAND_ERROR_IS_FATAL ANY)
foreach(wanted "Package: servosim\n" "Section: science\n" "Depends: [^\n]*libassimp5"
    "Depends: [^\n]*libode8[^\n]*libstdc\\+\\+6" "Depends: [^\n]*zlib1g"
    "Depends: [^\n]*liblua5.4-0[^\n]*libmozjs-102-0" "Depends: [^\n]*libsqlite3-0" "Depends: [^\n]*libcurl3-gnutls"
    "Depends: [^\n]*libembree3-3[^\n]*libjpeg62-turbo[^\n]*libpng16-16"
    "Depends: [^\n]*libminizip1[^\n]*libnettle8" "Depends: [^\n]*libxxhash0"
    "Recommends: [^\n]*make[^\n]*gnuplot-nox \\| gnuplot")
  if(NOT fields MATCHES "${wanted}")
    message(SEND_ERROR "no ${wanted} in ${fields}")
  endif()
endforeach()
# A program that is linked with this patch version may use what earlier ones lack, and also runs
# with later ones.
execute_process(COMMAND dpkg-deb --info ${package} shlibs OUTPUT_VARIABLE shlibs
  COMMAND_ERROR_IS_FATAL ANY)
if(NOT shlibs MATCHES "^libservosim [0-9.]+ servosim \\(>= [0-9.]+\\)\n")
  message(SEND_ERROR "the package's shlibs are ${shlibs}")
endif()
execute_process(COMMAND dpkg-deb --extract ${package} ${WORK}/unpacked COMMAND_ERROR_IS_FATAL ANY)
foreach(file bin/servosim include/servosim/simulation.h share/doc/servosim/copyright
    share/doc/servosim/changelog.gz share/man/man1/servosim.1
    share/doc/servosim/docs/reference/fields.md share/doc/servosim/examples/ode_joint_drive.cpp
    share/servosim/ci/verify share/bash-completion/completions/servosim share/zsh/site-functions/_servosim
    share/fish/vendor_completions.d/servosim.fish ${LIBDIR}/libservosim.so ${LIBDIR}/pkgconfig/servosim.pc
    ${LIBDIR}/servosim/lib/controller/libController.so ${LIBDIR}/servosim/mesh_reader
    ${LIBDIR}/servosim/lib/controller/libCppController.so
    ${LIBDIR}/servosim/lib/libController.so ${LIBDIR}/servosim/lib/libCppController.so
    ${LIBDIR}/servosim/include/controller/cpp/webots/Robot.hpp
    ${LIBDIR}/servosim/include/controller/cpp/webots/utils/Motion.hpp
    ${LIBDIR}/servosim/lib/controller/python/controller/__init__.py
    ${LIBDIR}/servosim/lib/controller/python/controller/py.typed
    ${LIBDIR}/servosim/template_expander ${LIBDIR}/servosim/downloader ${LIBDIR}/servosim/libservosim_rendering.so
    ${LIBDIR}/servosim/fonts/DejaVuSans.ttf ${LIBDIR}/servosim/resources/Makefile.include
    ${LIBDIR}/servosim/projects/default/controllers/Makefile.include)
  if(NOT EXISTS ${WORK}/unpacked/usr/${file})
    message(SEND_ERROR "the package has no ${file}")
  endif()
endforeach()
# The Python package servosim is complete if it is built.
file(GLOB module ${BUILD}/lib/controller/python/servosim/_servosim.*.so)
foreach(file __init__.py _errors.py _servosim.pyi py.typed)
  if(module AND NOT EXISTS
      ${WORK}/unpacked/usr/${LIBDIR}/servosim/lib/controller/python/servosim/${file})
    message(SEND_ERROR "the package has no ${file} of Python's servosim")
  endif()
endforeach()
# The package is stripped: not even debug information tells where it was built. Assertions of debug
# builds and sanitizers name source files.
file(GLOB_RECURSE files ${WORK}/unpacked/*)
if(NAMES_SOURCES)
  set(files "")
endif()
foreach(file IN LISTS files)
  file(STRINGS "${file}" lines REGEX "${SOURCE}|${BUILD}")
  if(lines)
    message(SEND_ERROR "${file} knows where it was built: ${lines}")
  endif()
endforeach()
# The package is small; debug information has a package of its own.
file(GLOB_RECURSE files ${WORK}/unpacked/*)
set(bytes 0)
foreach(file IN LISTS files)
  if(NOT IS_SYMLINK "${file}")
    file(SIZE "${file}" size)
    math(EXPR bytes "${bytes} + ${size}")
  endif()
endforeach()
if(bytes GREATER 23000000 AND NOT NAMES_SOURCES)
  message(SEND_ERROR "the package unpacks to ${bytes} bytes")
endif()
if(DEBUG_INFORMATION)
  file(GLOB debug_package ${WORK}/servosim-dbgsym_*.ddeb)
  execute_process(COMMAND dpkg-deb --extract ${debug_package} ${WORK}/debug COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE files ${WORK}/debug/usr/lib/debug/*.debug)
  execute_process(COMMAND readelf --section-headers --wide ${files} OUTPUT_VARIABLE sections
    ERROR_QUIET)  # the program lacks what is in the other package
  if(NOT sections MATCHES " [.]debug_(info|line) ")
    message(SEND_ERROR "the package of debug information has none: ${files}")
  endif()
endif()
set(ENV{XDG_CACHE_HOME} ${WORK}/cache)
set(ENV{SERVOSIM_BUILD_IN_CACHE} 1)
execute_process(COMMAND ${WORK}/unpacked/usr/bin/servosim run ${SOURCE}/worlds/arm.wbt --duration 3
  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "let go: shoulder.*state_hash: ")
  message(FATAL_ERROR "it printed ${output}")
endif()

# SPDX-License-Identifier: Apache-2.0
# Fails when the product calls a function of the C library that is neither in src/base/may_fail.h,
# whose results have to be looked at, nor below, with the reason why not. OBJECTS: a file with the
# object files of the product, one a line; NM, COMPILER: programs.
cmake_minimum_required(VERSION 3.25)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

# Lists of regular expressions.
set(cannot_fail  # but for what the caller gives, which is right or a bug
  "mem.*" "mallinfo2" "bcmp" "str.*" "isoc[0-9]+_.*" "is(alnum|alpha|space|digit)" "tolower" "toupper" "v?snprintf" "qsort" "bsearch" "abs"
  "get(env|pid|ppid|uid|euid|gid)" "inet_ntop" "secure_getenv" "environ" "stdout" "stderr" "stdin" "fileno" "errno_location"
  "sig(emptyset|fillset|addset|abbrev_np)" "signal" "raise" "alarm" "clock_gettime" "localeconv" "localtime_r" "gmtime_r"
  "sched_(yield|cpucount)" "pthread_(self|detach|once|getspecific|key_delete)" "libc_single_threaded" "nanosleep" "pthread_(mutex|cond|rwlock)_.*" "gnu_get_libc_version" "isatty"
  "frexp|ldexp|modf|copysign|finite|scalbn" "_?setjmp" "uname" "dlerror" "gai_strerror" "unsetenv" "fnmatch" "rand_r" "rand" "srand")
set(does_not_return "exit|_exit|abort|_?assert_fail|longjmp" "stack_chk_fail" "libc_start_main")
set(undoes  # what is undone is gone afterwards, or was not there
  "close" "close_range" "closedir" "fclose" "dlclose" "free" "freeaddrinfo" "freeifaddrs" "unlink" "rmdir" "remove" "shutdown" "munmap"
  "kill" "posix_spawn(attr|_file_actions)_destroy" "cxa_finalize")
set(looked_at_by_type  # a pointer or number that is of no use unless it is looked at
  "malloc|calloc|realloc|aligned_alloc" "getpwuid(_r)?" "syscall" "opendir|readdir|getcwd|realpath|getc")
set(looked_at "pthread_key_create|pthread_setspecific")  # in src/base/per_thread.h, which alone calls them
set(last_words "v?f?printf" "fputs" "fputc" "fwrite" "puts" "putchar" "fflush" "setvbuf" "perror")  # nobody is left to tell
set(at_start "cxa_atexit|cxa_thread_atexit_impl|atexit" "tls_get_addr")

execute_process(COMMAND ${COMPILER} -print-file-name=libc.so.6 OUTPUT_VARIABLE libc OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${NM} -D --defined-only ${libc} OUTPUT_VARIABLE defined COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${OBJECTS} objects)
list(FILTER objects INCLUDE REGEX "\\.o$")  # but for precompiled headers
execute_process(COMMAND ${NM} --undefined-only ${objects} OUTPUT_VARIABLE called COMMAND_ERROR_IS_FATAL ANY)
file(READ ${root}/src/base/may_fail.h may_fail)

string(REGEX MATCHALL " [A-Za-z0-9_]+@@?GLIBC[^\n]*" defined "${defined}")
list(TRANSFORM defined REPLACE "^ ([A-Za-z0-9_]+)@.*" "\\1")
string(REGEX MATCHALL " U [A-Za-z0-9_]+" called "${called}")
list(TRANSFORM called REPLACE "^ U " "")
list(REMOVE_DUPLICATES called)
set(known ${cannot_fail} ${does_not_return} ${undoes} ${looked_at_by_type} ${looked_at} ${last_words} ${at_start})
list(JOIN known "|" known)
if("__cxa_thread_atexit" IN_LIST called)
  message(SEND_ERROR "a thread_local has a destructor, for which the C library ends the process when memory is "
    "short: src/base/per_thread.h has none")
endif()
set(found 0)
foreach(name ${called})
  if(NOT name IN_LIST defined)
    continue()
  endif()
  math(EXPR found "${found} + 1")
  string(REGEX REPLACE "(64|64_2|_2)$" "" plain "${name}")
  string(REGEX REPLACE "^__+|_chk$" "" plain "${plain}")
  if(NOT plain MATCHES "^(${known})$" AND NOT may_fail MATCHES "[) *]${plain}[;(]")
    message(SEND_ERROR "${name}() may fail: put it into src/base/may_fail.h, or say in "
      "cmake/check_imports.cmake why its result says nothing")
  endif()
endforeach()
if(found LESS 60)
  message(FATAL_ERROR "only ${found} functions of the C library were found: are the patterns still right?")
endif()
message(STATUS "imports: ${found} functions of the C library")

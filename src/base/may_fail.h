// SPDX-License-Identifier: Apache-2.0
#pragma once

// System calls that may fail, declared [[nodiscard]]: to ignore a result is an error of the
// compiler. Included before every source of the product (servosim_looks_at_results() in
// cmake/ServosimTarget.cmake). A source that can do nothing about a failure writes
// static_cast<void>(…), and why. cmake/check_imports.cmake finds calls that are neither here nor
// among its exemptions.

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__  // functions that _FORTIFY_SOURCE defines cannot be declared again
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-attributes"
#endif

// files
[[nodiscard]] decltype(open) open;
[[nodiscard]] FILE* fopen(const char*, const char*);
[[nodiscard]] decltype(fcntl) fcntl;
[[nodiscard]] decltype(read) read;
[[nodiscard]] decltype(write) write;
[[nodiscard]] decltype(lseek) lseek;
[[nodiscard]] decltype(fsync) fsync;
[[nodiscard]] decltype(ftruncate) ftruncate;
[[nodiscard]] decltype(fchmod) fchmod;
[[nodiscard]] decltype(fchown) fchown;
[[nodiscard]] decltype(fstat) fstat;
[[nodiscard]] int stat(const char*, struct stat*) noexcept;
[[nodiscard]] decltype(lstat) lstat;
[[nodiscard]] decltype(access) access;
[[nodiscard]] decltype(readlink) readlink;
[[nodiscard]] decltype(mkdtemp) mkdtemp;
[[nodiscard]] decltype(memfd_create) memfd_create;
[[nodiscard]] decltype(rename) rename;
[[nodiscard]] decltype(renameat2) renameat2;
[[nodiscard]] decltype(mkdir) mkdir;
[[nodiscard]] decltype(symlink) symlink;
[[nodiscard]] decltype(chdir) chdir;
[[nodiscard]] decltype(flock) flock;
[[nodiscard]] decltype(dup) dup;
[[nodiscard]] decltype(dup2) dup2;
[[nodiscard]] decltype(pipe2) pipe2;
[[nodiscard]] decltype(getrandom) getrandom;

// sockets and waiting
[[nodiscard]] decltype(socket) socket;
[[nodiscard]] decltype(socketpair) socketpair;
[[nodiscard]] decltype(bind) bind;
[[nodiscard]] decltype(listen) listen;
[[nodiscard]] decltype(accept4) accept4;
[[nodiscard]] decltype(connect) connect;
[[nodiscard]] decltype(inet_pton) inet_pton;
[[nodiscard]] decltype(getaddrinfo) getaddrinfo;
[[nodiscard]] decltype(getifaddrs) getifaddrs;
[[nodiscard]] decltype(setsockopt) setsockopt;
[[nodiscard]] decltype(getsockopt) getsockopt;
[[nodiscard]] decltype(getsockname) getsockname;
[[nodiscard]] decltype(send) send;
[[nodiscard]] decltype(sendmsg) sendmsg;
[[nodiscard]] decltype(sendto) sendto;
[[nodiscard]] decltype(recv) recv;
[[nodiscard]] decltype(recvfrom) recvfrom;
[[nodiscard]] decltype(recvmsg) recvmsg;
[[nodiscard]] decltype(poll) poll;
[[nodiscard]] decltype(ppoll) ppoll;
[[nodiscard]] decltype(epoll_create1) epoll_create1;
[[nodiscard]] decltype(epoll_ctl) epoll_ctl;
[[nodiscard]] decltype(epoll_wait) epoll_wait;
[[nodiscard]] decltype(eventfd) eventfd;

// processes
[[nodiscard]] decltype(fork) fork;
[[nodiscard]] decltype(execv) execv;
[[nodiscard]] decltype(execve) execve;
[[nodiscard]] decltype(pthread_create) pthread_create;
[[nodiscard]] decltype(setpgid) setpgid;
[[nodiscard]] decltype(wait4) wait4;
[[nodiscard]] decltype(waitpid) waitpid;
[[nodiscard]] decltype(waitid) waitid;
[[nodiscard]] decltype(sigaction) sigaction;
[[nodiscard]] decltype(sigprocmask) sigprocmask;
[[nodiscard]] decltype(pthread_sigmask) pthread_sigmask;
[[nodiscard]] decltype(prctl) prctl;
[[nodiscard]] decltype(setenv) setenv;
[[nodiscard]] decltype(posix_spawnp) posix_spawnp;
[[nodiscard]] decltype(posix_spawn_file_actions_init) posix_spawn_file_actions_init;
[[nodiscard]] decltype(posix_spawn_file_actions_addopen) posix_spawn_file_actions_addopen;
[[nodiscard]] decltype(posix_spawn_file_actions_adddup2) posix_spawn_file_actions_adddup2;
[[nodiscard]] decltype(posix_spawn_file_actions_addchdir_np) posix_spawn_file_actions_addchdir_np;
[[nodiscard]] decltype(posix_spawnattr_init) posix_spawnattr_init;
[[nodiscard]] decltype(posix_spawnattr_setsigmask) posix_spawnattr_setsigmask;
[[nodiscard]] decltype(posix_spawnattr_setsigdefault) posix_spawnattr_setsigdefault;
[[nodiscard]] decltype(posix_spawnattr_setpgroup) posix_spawnattr_setpgroup;
[[nodiscard]] decltype(posix_spawnattr_setflags) posix_spawnattr_setflags;
[[nodiscard]] decltype(getrlimit) getrlimit;
[[nodiscard]] decltype(setrlimit) setrlimit;
[[nodiscard]] decltype(getrusage) getrusage;
[[nodiscard]] decltype(sysconf) sysconf;
[[nodiscard]] decltype(sched_getaffinity) sched_getaffinity;
[[nodiscard]] decltype(dlopen) dlopen;
[[nodiscard]] decltype(dlsym) dlsym;
[[nodiscard]] decltype(dladdr) dladdr;

#ifdef __clang__
#pragma clang diagnostic pop
#endif

// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD: the n-th call of a kind fails. It counts in a file that the test reads,
// so that the calls of processes that a program forks count, too.
//
// SERVOSIM_FAULT=KIND:N or KIND:N+ (from the N-th on); SERVOSIM_FAULT_PROGRAM=the name of the
// program that it is for; SERVOSIM_FAULT_COUNTS=the file, a 64-bit number.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ode/ode.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

std::atomic<uint64_t>* calls = nullptr;  // null in other programs
char kind[16];
uint64_t first = 0;
bool and_all_later = false;

void start(bool in_main);

bool fails(const char* which) {
  start(false);
  if (calls == nullptr || strcmp(which, kind) != 0) {
    return false;
  }
  const uint64_t n = ++*calls;
  return first != 0 && (and_all_later ? n >= first : n == first);
}

bool fails(const char* which, int error) {
  if (!fails(which)) {
    return false;
  }
  errno = error;
  return true;
}

// Allocations count from the first static initialiser on. Other calls count in main() only: before
// that, they are the loader's, and nobody could report a failure.
void start(bool in_main) {
  static bool begun = false;
  if (begun || program_invocation_short_name == nullptr || environ == nullptr) {
    return;  // the C library is not initialised yet
  }
  const char* fault = getenv("SERVOSIM_FAULT");
  const char* program = getenv("SERVOSIM_FAULT_PROGRAM");
  const char* file = getenv("SERVOSIM_FAULT_COUNTS");
  if (fault == nullptr || program == nullptr || file == nullptr ||
      strcmp(program, program_invocation_short_name) != 0) {
    begun = in_main;
    return;
  }
  if (!in_main && strncmp(fault, "alloc", 5) != 0) {
    return;
  }
  begun = true;
  char plus = 0;
  unsigned long long n = 0;
  if (sscanf(fault, "%15[a-z]:%llu%c", kind, &n, &plus) < 2) {
    return;
  }
  const int fd = open(file, O_RDWR | O_CLOEXEC);
  void* memory = mmap(nullptr, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  first = n;
  and_all_later = plus == '+';
  if (memory != MAP_FAILED) {
    calls = static_cast<std::atomic<uint64_t>*>(memory);
  }
}

// The descriptors with which a program wakes its own threads cannot fail. These are descriptors
// without a type, and pipes except for standard output and error.
bool may_fail(int fd, const char* which) {
  struct stat info {};
  return fstat(fd, &info) == 0 && (info.st_mode & S_IFMT) != 0 &&
         (!S_ISFIFO(info.st_mode) || fd <= STDERR_FILENO || strcmp(which, "read") == 0);
}

template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define NEXT(function)                                    \
  static auto* const real = next(&::function, #function); \
  static_assert(true)

// Replaces a function that reports a failure by its result and errno.
#define FAILS(which, type, function, parameters, arguments, failure, error) \
  extern "C" type function parameters {                                     \
    NEXT(function);                                                         \
    if (fails(which, error)) {                                              \
      return failure;                                                       \
    }                                                                       \
    return real arguments;                                                  \
  }

// The same for a function whose first parameter is the descriptor of a file.
#define FILE_FAILS(which, type, function, parameters, arguments, error)   \
  extern "C" type function parameters {                                   \
    NEXT(function);                                                       \
    if (calls != nullptr && may_fail(fd, which) && fails(which, error)) { \
      return -1;                                                          \
    }                                                                     \
    return real arguments;                                                \
  }

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  start(true);
  return real_main(argc, argv, environment);
}

extern "C" int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*at_exit)(), void* stack) {
  real_main = main;
  auto* const real =
      reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(counted_main, argc, argv, init, fini, at_exit, stack);
}

extern "C" void* malloc(size_t size) noexcept {
  return fails("alloc", ENOMEM) ? nullptr : __libc_malloc(size);
}
extern "C" void* calloc(size_t count, size_t size) noexcept {
  return fails("alloc", ENOMEM) ? nullptr : __libc_calloc(count, size);
}
extern "C" void* realloc(void* old, size_t size) noexcept {
  return fails("alloc", ENOMEM) ? nullptr : __libc_realloc(old, size);
}

extern "C" void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return fails("alloc", ENOMEM) ? nullptr : __libc_memalign(alignment, size);
}
extern "C" int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  *memory = fails("alloc") ? nullptr : __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

// `...` are the arguments before `flags`.
#define OPEN_FAILS(function, parameters, ...)                                            \
  extern "C" int function parameters {                                                   \
    NEXT(function);                                                                      \
    va_list list;                                                                        \
    va_start(list, flags);                                                               \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                                        \
    return fails("open", EMFILE) ? -1 : real(__VA_ARGS__, flags, mode);                  \
  }

OPEN_FAILS(open, (const char* path, int flags, ...), path)
OPEN_FAILS(open64, (const char* path, int flags, ...), path)
OPEN_FAILS(openat, (int folder, const char* path, int flags, ...), folder, path)
OPEN_FAILS(openat64, (int folder, const char* path, int flags, ...), folder, path)
FAILS("open", int, dup, (int fd) noexcept, (fd), -1, EMFILE)
FAILS("open", int, dup2, (int fd, int as) noexcept, (fd, as), -1, EMFILE)
FAILS("open", FILE*, fopen, (const char* path, const char* mode), (path, mode), nullptr, EMFILE)
FAILS("open", FILE*, fopen64, (const char* path, const char* mode), (path, mode), nullptr, EMFILE)
FILE_FAILS("read", ssize_t, read, (int fd, void* to, size_t size), (fd, to, size), EIO)
FILE_FAILS("read", ssize_t, recv, (int fd, void* to, size_t size, int flags), (fd, to, size, flags),
           EIO)
FILE_FAILS("read", ssize_t, recvfrom,
           (int fd, void* to, size_t size, int flags, sockaddr* from, socklen_t* length),
           (fd, to, size, flags, from, length), EIO)
FILE_FAILS("read", ssize_t, pread, (int fd, void* to, size_t size, off_t at), (fd, to, size, at),
           EIO)
FILE_FAILS("read", ssize_t, pread64, (int fd, void* to, size_t size, off64_t at),
           (fd, to, size, at), EIO)
FILE_FAILS("write", ssize_t, write, (int fd, const void* from, size_t size), (fd, from, size),
           ENOSPC)
FILE_FAILS("write", ssize_t, writev, (int fd, const iovec* from, int count), (fd, from, count),
           ENOSPC)
FILE_FAILS("write", ssize_t, pwrite64, (int fd, const void* from, size_t size, off64_t at),
           (fd, from, size, at), ENOSPC)
FILE_FAILS("write", ssize_t, pwrite, (int fd, const void* from, size_t size, off_t at),
           (fd, from, size, at), ENOSPC)
FAILS("write", int, ftruncate, (int fd, off_t size) noexcept, (fd, size), -1, ENOSPC)
FAILS("write", int, ftruncate64, (int fd, off64_t size) noexcept, (fd, size), -1, ENOSPC)
FAILS("send", ssize_t, send, (int fd, const void* from, size_t size, int flags),
      (fd, from, size, flags), -1, ENOBUFS)
FAILS("send", ssize_t, sendmsg, (int fd, const msghdr* message, int flags), (fd, message, flags),
      -1, ENOBUFS)
FAILS("sync", int, fsync, (int fd), (fd), -1, EIO)
FAILS("sync", int, fdatasync, (int fd), (fd), -1, EIO)
FAILS("rename", int, rename, (const char* from, const char* to) noexcept, (from, to), -1, ENOSPC)
FAILS("rename", int, renameat2,
      (int a, const char* from, int b, const char* to, unsigned flags) noexcept,
      (a, from, b, to, flags), -1, ENOSPC)
FAILS("mkdir", int, mkdir, (const char* path, mode_t mode) noexcept, (path, mode), -1, ENOSPC)
FAILS("mkdir", char*, mkdtemp, (char* pattern) noexcept, (pattern), nullptr, ENOSPC)
FAILS("fork", pid_t, fork, () noexcept, (), -1, EAGAIN)
FAILS("fork", int, posix_spawnp,
      (pid_t * pid, const char* file, const posix_spawn_file_actions_t* actions,
       const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]),
      (pid, file, actions, attributes, argv, envp), EAGAIN, EAGAIN)
FAILS("fork", int, execve, (const char* path, char* const argv[], char* const envp[]) noexcept,
      (path, argv, envp), -1, ENOMEM)
FAILS("fork", int, setpgid, (pid_t pid, pid_t group) noexcept, (pid, group), -1, EAGAIN)
FAILS("fork", int, getrlimit, (__rlimit_resource_t resource, rlimit* limits) noexcept,
      (resource, limits), -1, EAGAIN)
FAILS("fork", int, setrlimit, (__rlimit_resource_t resource, const rlimit* limits) noexcept,
      (resource, limits), -1, EAGAIN)
FAILS("fork", int, pthread_create,
      (pthread_t * thread, const pthread_attr_t* attributes, void* (*work)(void*),
       void* data) noexcept,
      (thread, attributes, work, data), EAGAIN, EAGAIN)
FAILS("socket", int, socket, (int domain, int type, int protocol) noexcept,
      (domain, type, protocol), -1, EMFILE)
FAILS("socket", int, socketpair, (int domain, int type, int protocol, int* ends) noexcept,
      (domain, type, protocol, ends), -1, EMFILE)
FAILS("socket", int, accept4, (int fd, sockaddr* from, socklen_t* size, int flags),
      (fd, from, size, flags), -1, EMFILE)
FAILS("socket", int, connect, (int fd, const sockaddr* address, socklen_t size),
      (fd, address, size), -1, EAGAIN)
FAILS("port", int, bind, (int fd, const sockaddr* address, socklen_t size) noexcept,
      (fd, address, size), -1, EADDRINUSE)
FAILS("port", int, listen, (int fd, int backlog) noexcept, (fd, backlog), -1, EADDRINUSE)
FAILS("socket", int, pipe2, (int* ends, int flags) noexcept, (ends, flags), -1, EMFILE)
FAILS("socket", int, eventfd, (unsigned value, int flags) noexcept, (value, flags), -1, EMFILE)
FAILS("socket", int, epoll_create1, (int flags) noexcept, (flags), -1, EMFILE)
FAILS("socket", int, epoll_ctl, (int fd, int what, int of, epoll_event* event) noexcept,
      (fd, what, of, event), -1, ENOSPC)

FAILS("ode", int, dInitODE2, (unsigned flags), (flags), 0, 0)
FAILS("ode", int, dAllocateODEDataForThread, (unsigned flags), (flags), 0, 0)
FAILS("ode", int, dWorldStep, (dWorldID world, dReal h), (world, h), 0, 0)
FAILS("ode", int, dWorldSetStepMemoryManager,
      (dWorldID world, const dWorldStepMemoryFunctionsInfo* functions), (world, functions), 0, 0)
FAILS("ode", dWorldID, dWorldCreate, (), (), nullptr, 0)
FAILS("ode", dBodyID, dBodyCreate, (dWorldID world), (world), nullptr, 0)
FAILS("ode", dThreadingImplementationID, dThreadingAllocateSelfThreadedImplementation, (), (),
      nullptr, 0)
FAILS("ode", dJointID, dJointCreateContact,
      (dWorldID world, dJointGroupID group, const dContact* contact), (world, group, contact),
      nullptr, 0)
FAILS("ode", dJointID, dJointCreateHinge, (dWorldID world, dJointGroupID group), (world, group),
      nullptr, 0)
FAILS("ode", dJointID, dJointCreateSlider, (dWorldID world, dJointGroupID group), (world, group),
      nullptr, 0)
FAILS("ode", dJointID, dJointCreateAMotor, (dWorldID world, dJointGroupID group), (world, group),
      nullptr, 0)
FAILS("ode", dJointID, dJointCreateLMotor, (dWorldID world, dJointGroupID group), (world, group),
      nullptr, 0)
FAILS("ode", dJointGroupID, dJointGroupCreate, (int size), (size), nullptr, 0)
FAILS("ode", dSpaceID, dSimpleSpaceCreate, (dSpaceID space), (space), nullptr, 0)
FAILS("ode", dSpaceID, dSweepAndPruneSpaceCreate, (dSpaceID space, int order), (space, order),
      nullptr, 0)
FAILS("ode", dGeomID, dCreateBox, (dSpaceID space, dReal x, dReal y, dReal z), (space, x, y, z),
      nullptr, 0)
FAILS("ode", dGeomID, dCreateSphere, (dSpaceID space, dReal radius), (space, radius), nullptr, 0)
FAILS("ode", dGeomID, dCreatePlane, (dSpaceID space, dReal a, dReal b, dReal c, dReal d),
      (space, a, b, c, d), nullptr, 0)
FAILS("ode", dTriMeshDataID, dGeomTriMeshDataCreate, (), (), nullptr, 0)
FAILS("ode", dGeomID, dCreateTriMesh,
      (dSpaceID space, dTriMeshDataID data, dTriCallback* a, dTriArrayCallback* b,
       dTriRayCallback* c),
      (space, data, a, b, c), nullptr, 0)

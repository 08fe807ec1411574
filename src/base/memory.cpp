// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SERVOSIM_SANITIZER_ALLOCATES
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SERVOSIM_SANITIZER_ALLOCATES
#endif
#ifdef SERVOSIM_SANITIZER_ALLOCATES
// GCC has no header that declares it.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace servosim {

namespace {

constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;

// Removes the text up to the first `end`, and `end` itself, from `text` and returns what was before
// `end`. Takes the whole text if it has no `end`.
std::string_view take_until(char end, std::string_view& text) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

bool names_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    if (take_until(',', controllers) == "memory") {
      return true;
    }
  }
  return false;
}

// Returns the number at the beginning of a file, or the one that follows `word` in it.
std::optional<std::uint64_t> number_in(const std::string& path, const std::string& word = "") {
  std::ifstream file(path);
  std::string key;
  std::uint64_t number = 0;
  while (!word.empty() && file >> key && key != word) {
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return file >> number ? std::optional(number) : std::nullopt;
}

// The names of the files in one version of control groups.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* reclaimable;  // a word in memory.stat
};
constexpr GroupFiles kVersion1{"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr GroupFiles kVersion2{"/memory.max", "/memory.current", "inactive_file"};

// An unlimited group has "max", which is no number, or 2^63 minus a page.
std::optional<GroupMemory> memory_of(const std::string& folder, const GroupFiles& files) {
  const std::optional<std::uint64_t> limit = number_in(folder + files.limit);
  if (!limit || *limit >= kUnlimited) {
    return std::nullopt;
  }
  const std::uint64_t usage = number_in(folder + files.usage).value_or(0);
  const std::uint64_t cached = number_in(folder + "/memory.stat", files.reclaimable).value_or(0);
  const std::uint64_t taken = usage - std::min(usage, cached);
  return GroupMemory{*limit, *limit - std::min(*limit, taken)};
}

std::optional<GroupMemory> own_group() {
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  return group_memory(groups, "/sys/fs/cgroup");
}

}  // namespace

// In a container the path may be that of the host, while the folder contains only the container's
// group. That group is then the top one.
std::optional<GroupMemory> group_memory(std::string_view groups, const std::string& root) {
  std::optional<GroupMemory> least;
  while (!groups.empty()) {  // lines NUMBER:CONTROLLERS:PATH; without controllers: version 2
    std::string_view path = take_until('\n', groups);
    take_until(':', path);
    const std::string_view controllers = take_until(':', path);
    if (!controllers.empty() && !names_memory(controllers)) {
      continue;
    }
    const std::string top = root + (controllers.empty() ? "" : "/memory");
    for (;;) {
      const std::string folder = top + std::string(path == "/" ? "" : path);
      if (const auto found = memory_of(folder, controllers.empty() ? kVersion2 : kVersion1)) {
        const GroupMemory before = least.value_or(*found);
        least = {std::min(before.limit, found->limit), std::min(before.left, found->left)};
      }
      if (path.empty()) {
        break;
      }
      path = path.substr(0, path.find_last_of('/') == path.npos ? 0 : path.find_last_of('/'));
    }
  }
  return least;
}

std::optional<std::uint64_t> memory_there_is() {
  const std::optional<GroupMemory> group = own_group();
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) {
    return group ? std::optional(group->limit) : std::nullopt;
  }
  const std::uint64_t bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  return group ? std::min(bytes, group->limit) : bytes;
}

std::uint64_t free_memory() {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  if (const auto kilobytes = number_in("/proc/meminfo", "MemAvailable:")) {
    bytes = *kilobytes * 1024;
  }
  if (const std::optional<GroupMemory> group = own_group()) {
    bytes = std::min(bytes, group->left);
  }
  rlimit space{};
  const auto pages = number_in("/proc/self/statm");
  if (pages && ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    const std::uint64_t taken = *pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    bytes = std::min<std::uint64_t>(bytes, space.rlim_cur - std::min(space.rlim_cur, taken));
  }
  return bytes;
}

std::uint64_t heap_in_use() {
#ifdef SERVOSIM_SANITIZER_ALLOCATES
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "base/private_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace servosim {

std::string temporary_files_folder() {
  const char* const set = std::getenv("TMPDIR");
  return set != nullptr && *set != '\0' ? set : "/tmp";
}

Descriptor open_private_folder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  const bool ours = folder && ::fstat(folder.get(), &info) == 0 && info.st_uid == ::geteuid() &&
                    (info.st_mode & 077) == 0;
  return ours ? std::move(folder) : Descriptor();
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "assets/zip_writer.h"

#include <minizip/zip.h>

#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>

#include "base/files.h"

namespace servosim::assets {
namespace {

constexpr uLong kMode = 0100644u << 16;  // where Unix has the mode of a file
constexpr uLong kUtf8Name = 1u << 11;    // a bit of the flags of an entry
constexpr uLong kMadeByUnix = 3u << 8;   // otherwise the mode is not read

bool add(zipFile zip, const ZipEntry& file) {
  zip_fileinfo info{};
  info.dosDate = 1u << 21 | 1u << 16;  // month 1, day 1 of the year 1980
  info.external_fa = kMode;
  return file.content.size() <= std::numeric_limits<unsigned>::max() &&
         ::zipOpenNewFileInZip4_64(zip, file.name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                                   Z_DEFLATED, Z_DEFAULT_COMPRESSION, 0, -MAX_WBITS, DEF_MEM_LEVEL,
                                   Z_DEFAULT_STRATEGY, nullptr, 0, kMadeByUnix, kUtf8Name,
                                   0) == ZIP_OK &&
         ::zipWriteInFileInZip(zip, file.content.data(),
                               static_cast<unsigned>(file.content.size())) == ZIP_OK &&
         ::zipCloseFileInZip(zip) == ZIP_OK;
}

}  // namespace

std::string zip_of(const std::vector<ZipEntry>& files) {
  const TemporaryFolder folder("servosim_zip");
  const std::string path = folder.path() + "/archive.zip";
  zipFile zip = ::zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  bool ok = zip != nullptr;
  for (const ZipEntry& file : files) {
    ok = ok && add(zip, file);
  }
  ok = zip != nullptr && ::zipClose(zip, nullptr) == ZIP_OK && ok;
  auto bytes = read_file(path);
  if (!ok || std::holds_alternative<FileError>(bytes)) {
    throw std::runtime_error("cannot make a zip archive in '" + folder.path() +
                             "'; see that there is space");
  }
  return std::get<std::string>(std::move(bytes));
}

}  // namespace servosim::assets

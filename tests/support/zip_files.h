// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <minizip/zip.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace servosim::test {

/// Writes an archive of names and contents, compressed by deflate.
inline void write_zip(const std::string& path,
                      const std::vector<std::pair<std::string, std::string>>& files) {
  zipFile zip = ::zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  bool ok = zip != nullptr;
  for (const auto& [name, content] : files) {
    ok = ok && ::zipOpenNewFileInZip64(zip, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr,
                                       Z_DEFLATED, Z_DEFAULT_COMPRESSION, 0) == ZIP_OK;
    ok = ok && ::zipWriteInFileInZip(zip, content.data(), static_cast<unsigned>(content.size())) ==
                   ZIP_OK;
    ok = ok && ::zipCloseFileInZip(zip) == ZIP_OK;
  }
  if (zip == nullptr || ::zipClose(zip, nullptr) != ZIP_OK || !ok) {
    throw std::runtime_error("cannot write " + path);
  }
}

}  // namespace servosim::test

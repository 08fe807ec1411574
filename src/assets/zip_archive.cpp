// SPDX-License-Identifier: Apache-2.0
#include "assets/zip_archive.h"

#include <fmt/format.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/files.h"

namespace servosim::assets {
namespace {

constexpr std::uint64_t kMaxEntries = 1'000'000;
constexpr std::size_t kLongestName = 1024;
constexpr std::size_t kPiece = 1 << 16;
constexpr uLong kIsEncrypted = 1;  // a bit of the flags of an entry

// Closes the current entry on every return path.
class OpenEntry {
 public:
  explicit OpenEntry(unzFile zip) : zip_(zip), status_(::unzOpenCurrentFile(zip)) {}
  ~OpenEntry() { static_cast<void>(close()); }
  OpenEntry(const OpenEntry&) = delete;
  OpenEntry& operator=(const OpenEntry&) = delete;

  bool is_open() const { return status_ == UNZ_OK; }
  /// Returns UNZ_CRCERROR if the checksum of what was read differs.
  int close() {
    return std::exchange(status_, UNZ_ERRNO) == UNZ_OK ? ::unzCloseCurrentFile(zip_) : UNZ_OK;
  }

 private:
  unzFile zip_;
  int status_;
};

}  // namespace

struct ZipArchive::Handle {
  explicit Handle(const std::string& path) : file(::unzOpen64(path.c_str())) {}
  ~Handle() {
    if (file != nullptr) {
      ::unzClose(file);
    }
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  unzFile file;
};

ZipArchive::ZipArchive(std::string path) : path_(std::move(path)) {}
ZipArchive::~ZipArchive() = default;

void ZipArchive::open() const {
  if (std::exchange(is_opened_, true)) {
    return;
  }
  // Opening a file that is not regular might block.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path_, error)) {
    fault_ = error ? "cannot be read: " + error.message() : "is no regular file";
    return;
  }
  auto handle = std::make_unique<Handle>(path_);
  if (handle->file == nullptr) {
    fault_ = "is no zip archive, or a damaged one";
    return;
  }
  handle_ = std::move(handle);
}

void ZipArchive::read_list() const {
  open();
  if (std::exchange(has_list_, true) || handle_ == nullptr) {
    return;
  }
  std::array<char, kLongestName + 1> name{};
  int status = ::unzGoToFirstFile(handle_->file);
  for (std::uint64_t seen = 0; status == UNZ_OK && seen < kMaxEntries; ++seen) {
    unz64_file_pos place{};
    status = ::unzGetCurrentFileInfo64(handle_->file, nullptr, name.data(), kLongestName, nullptr,
                                       0, nullptr, 0);
    if (status != UNZ_OK || (status = ::unzGetFilePos64(handle_->file, &place)) != UNZ_OK) {
      break;
    }
    const std::string_view full = name.data();
    const std::string_view last = full.substr(full.find_last_of('/') + 1);
    if (!last.empty()) {
      entries_.try_emplace(std::string(last), Entry{place.pos_in_zip_directory, place.num_of_file});
    }
    status = ::unzGoToNextFile(handle_->file);
  }
  if (status != UNZ_END_OF_LIST_OF_FILE) {
    fault_ = status == UNZ_OK ? fmt::format("has more than {} files", kMaxEntries)
                              : "is a damaged zip archive";
    entries_.clear();
  }
}

std::string ZipArchive::fault() const {
  const std::lock_guard lock(mutex_);
  open();
  return fault_;
}

bool ZipArchive::has(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  read_list();
  return entries_.contains(std::string(name));
}

std::variant<std::string, FileError> ZipArchive::read(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  read_list();
  const auto found = entries_.find(std::string(name));
  if (found == entries_.end()) {
    return FileError{fmt::format("is not in '{}'", path_)};
  }
  return read_entry(found->second.place, found->second.number);
}

std::variant<std::string, FileError> ZipArchive::read_entry(std::uint64_t place,
                                                            std::uint64_t number) const {
  const auto fault = [this](std::string_view reason) {
    return FileError{fmt::format("cannot be read from '{}': {}", path_, reason)};
  };
  const unz64_file_pos position{place, number};
  unz_file_info64 info{};
  if (::unzGoToFilePos64(handle_->file, &position) != UNZ_OK ||
      ::unzGetCurrentFileInfo64(handle_->file, &info, nullptr, 0, nullptr, 0, nullptr, 0) !=
          UNZ_OK) {
    return fault("the archive is damaged");
  }
  if ((info.flag & kIsEncrypted) != 0) {
    return fault("it is encrypted");
  }
  if (info.uncompressed_size > kMaxFileSize) {
    return fault(fmt::format("it is larger than {} MB", kMaxFileSize >> 20));
  }
  OpenEntry entry(handle_->file);
  if (!entry.is_open()) {
    return fault("it is compressed in an unknown way, or the archive is damaged");
  }
  std::string text;
  const auto size = static_cast<std::size_t>(info.uncompressed_size);
  int got = 0;
  do {  // grows piece by piece, since the stated size may be false
    const std::size_t before = text.size();
    text.resize(std::min(size + 1, before + kPiece));  // one byte more, to detect the end
    got = ::unzReadCurrentFile(handle_->file, text.data() + before,
                               static_cast<unsigned>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(std::max(got, 0)));
  } while (got > 0 && text.size() <= size);
  if (got < 0 || text.size() != size || entry.close() != UNZ_OK) {
    return fault("the archive is damaged");
  }
  return text;
}

}  // namespace servosim::assets

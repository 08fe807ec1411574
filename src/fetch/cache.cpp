// SPDX-License-Identifier: Apache-2.0
#include "fetch/cache.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "assets/address.h"
#include "assets/digest.h"
#include "base/shortage.h"

namespace servosim::fetch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kIndex = "index.jsonl";

[[noreturn]] void fail(const std::string& path, const char* what) {
  const int error = errno;
  throw_if_short(error, fmt::format("'{}' {}", path, what));
  throw std::runtime_error(fmt::format("'{}' {}: {}", path, what, std::strerror(error)));
}

void write_all(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno != EINTR) {
      fail(path, "cannot be written");
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
}

std::string now() {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

// Writes any bytes as JSON. Bytes that are not UTF-8 become U+FFFD.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns an empty object for a line that is incomplete because a process was killed.
Json parsed(std::string_view line) {
  Json json = Json::parse(line, nullptr, false);
  return json.is_object() ? json : Json::object();
}

}  // namespace

PartialFile::PartialFile(const std::string& path, std::string address)
    : path_(path + ".part"), address_(std::move(address)) {
  if (std::error_code ignored; fs::is_symlink(path_ + ".json", ignored)) {
    // The link would redirect downloaded bytes to another file.
    ::unlink((path_ + ".json").c_str());
  }
  const Json notes = parsed(read_file_or_nothing(path_ + ".json"));
  std::error_code error;
  const std::uintmax_t there = fs::file_size(path_, error);
  if (!error && text_in(notes, "url") == address_) {
    validator_ = text_in(notes, "validator");
    size_ = validator_.empty() ? 0 : there;
  }
}

void PartialFile::begin(std::uint64_t from, const std::string& validator) {
  size_ = from == size_ ? from : 0;
  validator_ = validator;
  note();
  file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file_ || ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0 ||
      ::lseek(file_.get(), 0, SEEK_END) < 0) {
    fail(path_, "cannot be written");
  }
}

void PartialFile::add(Bytes bytes) {
  write_all(file_.get(), as_text(bytes), path_);
  size_ += bytes.size();
}

void PartialFile::note() const {
  const std::string notes = line_of({{"url", address_}, {"validator", validator_}});
  if (const auto error = write_file(path_ + ".json", notes, true)) {
    throw std::runtime_error(fmt::format("'{}.json' {}", path_, error->reason));
  }
}

std::string PartialFile::finish() {
  if (!file_ || ::fsync(file_.get()) != 0) {
    fail(path_, "cannot be written");
  }
  file_.reset();
  auto text = read_file(path_);
  if (const auto* error = std::get_if<FileError>(&text)) {
    throw std::runtime_error(fmt::format("'{}' {}", path_, error->reason));
  }
  return std::move(std::get<std::string>(text));
}

void PartialFile::remove() {
  file_.reset();
  ::unlink(path_.c_str());
  ::unlink((path_ + ".json").c_str());
  size_ = 0;
  validator_.clear();
}

void Cache::make_folder() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw_if_short(error, fmt::format("'{}' cannot be made", folder_));
    throw std::runtime_error(
        fmt::format("'{}' cannot be made: {}; name another folder for caches "
                    "by XDG_CACHE_HOME",
                    folder_, error.message()));
  }
}

bool Cache::lock(bool wait) {
  if (!lock_) {
    lock_ = Descriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock_) {
      fail(folder_, "cannot be opened");
    }
  }
  while (::flock(lock_.get(), wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return false;
    }
    if (errno != EINTR) {
      return true;  // the file system has no locks; files are still replaced as a whole
    }
  }
  return true;
}

namespace {

std::string text_of_index(const std::string& folder) {
  return read_file_or_nothing((fs::path(folder) / kIndex).string());
}

CacheEntries entries_in(std::string_view rest) {
  CacheEntries entries;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const Json line = parsed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    CacheEntry entry{text_in(line, "url"),
                     0,
                     text_in(line, "sha256"),
                     text_in(line, "date"),
                     {text_in(line, "licence"), text_in(line, "licence_url")}};
    if (const auto size = line.find("size"); size != line.end() && size->is_number_unsigned()) {
      entry.size = size->get<std::uint64_t>();
      entries.insert_or_assign(entry.address, entry);
    }
  }
  return entries;
}

}  // namespace

CacheEntries read_index(const std::string& folder) { return entries_in(text_of_index(folder)); }

void Cache::read_entries() {
  const std::string text = text_of_index(folder_);
  is_cut_ = !text.empty() && text.back() != '\n';
  entries_ = entries_in(text);
}

std::string Cache::path_of(const std::string& address) const {
  return (fs::path(folder_) / assets::cache_name(address)).string();
}

bool Cache::has(const std::string& address) const {
  std::error_code error;
  return fs::is_regular_file(path_of(address), error);
}

std::variant<std::string, FileError> Cache::read(const std::string& address) const {
  return read_file(path_of(address));
}

const CacheEntry* Cache::find(const std::string& address) {
  const auto known = entries_.find(address);
  if (known == entries_.end()) {
    return nullptr;
  }
  const auto text = read(address);
  const auto* bytes = std::get_if<std::string>(&text);
  const bool is_same = bytes != nullptr && bytes->size() == known->second.size &&
                       assets::sha256(*bytes) == known->second.sha256;
  return is_same ? &known->second : nullptr;
}

PartialFile Cache::open_part(const std::string& address) const {
  return PartialFile(path_of(address), address);
}

void Cache::keep(const std::string& address, const std::string& text, const Licence& licence) {
  const CacheEntry entry{address, text.size(), assets::sha256(text), now(), licence};
  const std::string line = line_of({{"url", entry.address},
                                    {"file", assets::cache_name(address)},
                                    {"size", entry.size},
                                    {"sha256", entry.sha256},
                                    {"date", entry.date},
                                    {"licence", licence.text},
                                    {"licence_url", licence.address}});
  const std::string index = (fs::path(folder_) / kIndex).string();
  const Descriptor file(
      ::open(index.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file) {
    fail(index, "cannot be written");
  }
  write_all(file.get(), (std::exchange(is_cut_, false) ? "\n" : "") + line + '\n', index);
  // The record is written first: a record without a file does no harm, but a file without a record
  // is downloaded again.
  const std::string path = path_of(address);
  if (::rename((path + ".part").c_str(), path.c_str()) != 0) {
    fail(path, "cannot be made");
  }
  ::unlink((path + ".part.json").c_str());
  entries_.insert_or_assign(address, entry);
}

}  // namespace servosim::fetch

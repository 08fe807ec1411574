// SPDX-License-Identifier: Apache-2.0
#include "assets/address.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "assets/digest.h"

namespace servosim::assets {
namespace {

constexpr std::string_view kOwnScheme = "webots://";
constexpr std::string_view kPublished = "https://raw.githubusercontent.com/cyberbotics/webots/";

// The releases of Webots that have a tag, the newest first.
constexpr std::array<std::string_view, 15> kReleases{
    "R2025a", "R2023b",      "R2023a",      "R2022b",      "R2022a",
    "R2021b", "R2021a",      "R2020b-rev1", "R2020b",      "R2020a-rev1",
    "R2020a", "R2019b-rev1", "R2019b",      "R2019a-rev1", "R2019a"};

// Takes "<tag>/" off the front, also as "refs/tags/<tag>/" and "refs/heads/<branch>/".
std::string_view take_tag(std::string_view& rest) {
  for (const std::string_view refs : {"refs/tags/", "refs/heads/"}) {
    if (rest.starts_with(refs)) {
      rest.remove_prefix(refs.size());
    }
  }
  const std::size_t end = std::min(rest.find('/'), rest.size());
  const std::string_view tag = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return tag;
}

// Turns "a/./b/../c" into "a/c". A ".." that would lead above the first part is dropped, as
// browsers do.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part == "..") {
      if (!parts.empty()) {
        parts.pop_back();
      }
    } else if (part != "." && !part.empty()) {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::string result;
  for (const std::string_view part : parts) {
    (result += result.empty() ? "" : "/") += part;
  }
  return result;
}

std::string join(std::string_view folder, std::string_view reference) {
  const std::string_view origin = server_of(folder);
  std::string path(reference.starts_with('/') ? "" : folder.substr(origin.size()));
  (path += '/') += reference;
  return std::string(origin) + '/' + without_dots(path);
}

}  // namespace

bool is_address(std::string_view text) { return text.find("://") != std::string_view::npos; }

// Returns the whole address if it has no path.
std::string_view server_of(std::string_view address) {
  const std::size_t host = address.find("://") + 3;
  return address.substr(0, std::min(address.find('/', host), address.size()));
}

std::string fault_of_address(std::string_view address) {
  std::string scheme(address.substr(0, address.find("://")));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!is_address(address) || (scheme != "http" && scheme != "https")) {
    return "is neither an http nor an https address";
  }
  return server_of(address).find('@') != std::string_view::npos ? "has a user name in its address"
                                                                : "";
}

std::optional<WebotsFile> webots_file(std::string_view address) {
  if (address.starts_with(kOwnScheme)) {
    return WebotsFile{"", without_dots(address.substr(kOwnScheme.size()))};
  }
  constexpr std::string_view kPlain = "http://";
  const bool is_plain = address.starts_with(kPlain);
  const std::string_view published = kPublished.substr(is_plain ? kPlain.size() + 1 : 0);
  std::string_view rest = address.substr(is_plain ? kPlain.size() : 0);
  if (!rest.starts_with(published)) {
    return std::nullopt;
  }
  rest.remove_prefix(published.size());
  const std::string_view tag = take_tag(rest);
  return WebotsFile{std::string(tag), without_dots(rest)};
}

std::string published_address(std::string_view tag, std::string_view path) {
  return std::string(kPublished).append(tag).append("/").append(path);
}

std::vector<std::string> releases_near(std::string_view tag) {
  std::vector<std::string> releases(kReleases.begin(), kReleases.end());
  if (const auto own = std::find(releases.begin(), releases.end(), tag); own != releases.end()) {
    std::reverse(releases.begin(), own + 1);
  }
  return releases;
}

std::vector<std::string> equal_addresses(const std::string& address) {
  std::vector<std::string> all{address};
  if (const auto file = webots_file(address); file && !file->path.empty()) {
    const auto add = [&](std::string_view tag) {
      if (std::string other = published_address(tag, file->path); other != address) {
        all.push_back(std::move(other));
      }
    };
    if (!file->tag.empty()) {
      add(file->tag);
    }
    for (const std::string& release : releases_near(file->tag)) {
      if (release != file->tag) {
        add(release);
      }
    }
  }
  return all;
}

std::string folder_of(std::string_view name) {
  if (!is_address(name)) {
    return std::filesystem::path(name).parent_path().string();
  }
  const std::string_view origin = server_of(name);
  return std::string(name.substr(0, std::max(name.find_last_of('/'), origin.size())));
}

std::string resolve(std::string_view folder, std::string_view reference, std::string_view tag) {
  if (reference.starts_with(kOwnScheme)) {
    const auto own = is_address(folder) ? webots_file(folder) : std::nullopt;
    const std::string path = without_dots(reference.substr(kOwnScheme.size()));
    return published_address(own && !own->tag.empty() ? own->tag : tag, path);
  }
  if (is_address(reference)) {
    return std::string(reference);
  }
  std::string with_slashes(reference);
  std::replace(with_slashes.begin(), with_slashes.end(), '\\', '/');
  if (is_address(folder)) {
    return join(folder, with_slashes);
  }
  return (std::filesystem::path(folder) / with_slashes).lexically_normal().string();
}

std::string cache_name(std::string_view address) { return sha1(address); }

}  // namespace servosim::assets

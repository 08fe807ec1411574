// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "assets/address.h"
#include "wbt/convert/convert.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

bool holds_urls(std::string_view field) {
  static constexpr std::array<std::string_view, 6> kNames{"url",       "sound",      "bumpSound",
                                                          "rollSound", "slideSound", "directory"};
  return field.ends_with("Url") || std::find(kNames.begin(), kNames.end(), field) != kNames.end();
}

// Returns whether a URL is neither absolute, here or on Windows, nor an address such as http://,
// webots:// or package://.
bool is_relative(const std::string& url) {
  return !url.empty() && url[0] != '/' && url.find("://") == std::string::npos &&
         url.substr(1, 1) != ":" && url.find('\0') == std::string::npos;
}

class Mover {
 public:
  Mover(const wbt::WorldFile& world, std::string folder, const SourceMap& sources)
      : from_(fs::path(world.path).parent_path()), to_(std::move(folder)), sources_(sources) {}

  wbt::NodePtr moved(wbt::Node node) const {
    for (wbt::Field& field : node.fields) {
      if (!holds_urls(field.type->name)) {
        continue;
      }
      if (auto* one = std::get_if<std::string>(&field.value)) {
        *one = moved(*one, field);
      } else if (auto* several = std::get_if<std::vector<std::string>>(&field.value)) {
        for (std::string& url : *several) {
          url = moved(url, field);
        }
      }
    }
    return shared(std::move(node));
  }

  /// Moves a URL of the world itself.
  std::string moved(const std::string& url) const { return moved(url, from_); }

 private:
  std::string moved(const std::string& url, const wbt::Field& field) const {
    if (const std::string cached = address_of(url, field); !cached.empty()) {
      return cached;
    }
    return is_relative(url) ? moved(url, home_of(url, field)) : url;
  }

  // Returns the address of a URL in a PROTO file that a cache holds; empty for others.
  std::string address_of(const std::string& url, const wbt::Field& field) const {
    const std::string& label = field.where.file == SourceLocation::kNoFile
                                   ? from_.native()
                                   : sources_.label(field.where.file);
    std::error_code ignored;
    if (!assets::is_address(label) || fs::path(url).is_absolute() || url.empty() ||
        (is_relative(url) && fs::exists(from_ / url, ignored))) {
      return {};
    }
    return assets::resolve(assets::folder_of(label), url, "");
  }

  std::string moved(const std::string& url, const fs::path& home) const {
    return home == to_ || !is_relative(url)
               ? url
               : (home / url).lexically_normal().lexically_relative(to_).string();
  }

  // The world may have passed the value to a field of the PROTO.
  fs::path home_of(const std::string& url, const wbt::Field& field) const {
    std::error_code ignored;
    const fs::path proto = proto_folder(field.where.file);
    return proto.empty() || (!fs::exists(proto / url, ignored) && fs::exists(from_ / url, ignored))
               ? from_
               : proto;
  }

  // Returns the folder of the PROTO file with that number; empty for the world, and if there is no
  // file.
  fs::path proto_folder(std::uint32_t file) const {
    if (file == SourceLocation::kNoFile || !sources_.label(file).ends_with(".proto")) {
      return {};
    }
    std::error_code ignored;
    return fs::absolute(sources_.label(file), ignored).lexically_normal().parent_path();
  }

  fs::path from_;
  fs::path to_;
  const SourceMap& sources_;
};

}  // namespace

void move_urls(wbt::WorldFile& world, const std::string& folder, const SourceMap& sources) {
  const Mover mover(world, folder, sources);
  for (std::string& url : world.importable) {
    url = mover.moved(url);
  }
  world.nodes =
      Rewriter([&](wbt::Node node) { return mover.moved(std::move(node)); }).rewrite(world.nodes);
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "fetch/licence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace servosim::fetch {
namespace {

constexpr std::size_t kLongest = 300;  // longest value that is kept [bytes]

constexpr std::string_view kBlanks = " \t\r";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Returns the words in lower case with one blank between them. Line breaks and underscores thus do
// not matter.
std::string words_of(std::string_view text) {
  std::string words;
  for (const unsigned char c : text) {
    if (std::isalnum(c) != 0) {
      words += static_cast<char>(std::tolower(c));
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  return words;
}

}  // namespace

bool Licence::is_for_webots_only() const {
  const std::string words = words_of(text) + ' ' + words_of(address);
  constexpr std::array<std::string_view, 5> kSigns{"only with webots", "with webots only",
                                                   "webots assets licen", "webots asset licen",
                                                   "for use with webots"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return words.find(sign) != std::string::npos; });
}

std::string Licence::shown() const {
  return !is_stated()      ? "none stated"
         : address.empty() ? text
         : text.empty()    ? address
                           : fmt::format("{} ({})", text, address);
}

Licence licence_of(std::string_view proto_text) {
  Licence licence;
  while (!proto_text.empty()) {
    const std::size_t end = std::min(proto_text.find('\n'), proto_text.size());
    const std::string_view line = trimmed(proto_text.substr(0, end), kBlanks);
    proto_text.remove_prefix(std::min(end + 1, proto_text.size()));
    if (line.empty()) {
      continue;
    }
    if (!line.starts_with('#')) {
      break;  // the head ends here
    }
    const std::string_view comment =
        trimmed(line.substr(std::min(line.find_first_not_of('#'), line.size())), kBlanks);
    const std::size_t colon = comment.find(':');
    if (colon == std::string_view::npos) {
      continue;
    }
    const std::string key = lower(trimmed(comment.substr(0, colon), kBlanks));
    const auto value = std::string(trimmed(comment.substr(colon + 1), kBlanks).substr(0, kLongest));
    if ((key == "license" || key == "licence") && licence.text.empty()) {
      licence.text = value;
    } else if ((key == "license url" || key == "licence url") && licence.address.empty()) {
      licence.address = value;
    }
  }
  return licence;
}

Licence webots_assets_licence() {
  return {"none stated: that of Webots' assets, only with Webots",
          "https://cyberbotics.com/webots_assets_license"};
}

}  // namespace servosim::fetch

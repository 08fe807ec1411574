// SPDX-License-Identifier: Apache-2.0
#include "view/replay_page.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "base/printable.h"
#include "view/page_text.h"

namespace servosim {
namespace {

constexpr std::string_view kRecordingsMark = "<!--RECORDINGS-->";

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u;
    };
    const std::uint32_t group = byte(0) << 16 | byte(1) << 8 | byte(2);
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
  }
}

void append_attribute(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
}

}  // namespace

bool has_replay_page() { return !page_text().empty(); }

std::string replay_page(std::span<const NamedRecording> recordings) {
  const std::string_view page = page_text();
  const std::size_t mark = page.find(kRecordingsMark);
  SERVOSIM_ASSERT(mark != page.npos, "{} bytes", page.size());
  std::string out(page.substr(0, mark));
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    out += "<script type=\"application/octet-stream\" id=\"recording-" + std::to_string(i) +
           "\" data-name=\"";
    append_attribute(out, printable(recordings[i].name));
    out += "\">";
    append_base64(out, recordings[i].bytes);
    out += "</script>\n";
  }
  return out += page.substr(mark + kRecordingsMark.size());
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "view/replay_page.h"

#include <cstddef>
#include <string_view>

#include "base/assert.h"
#include "base/base64.h"
#include "base/bytes.h"
#include "base/printable.h"
#include "base/text.h"
#include "view/page_text.h"

namespace servosim {
namespace {

constexpr std::string_view kRecordingsMark = "<!--RECORDINGS-->";
constexpr std::string_view kLiveMark = "<meta name=\"servosim-live\" content=\"1\">";
// The page of recordings may not connect to anything; the page of a run may connect to the run.
constexpr std::string_view kPolicy = "content=\"default-src 'none';";
constexpr std::string_view kLivePolicy = " connect-src 'self';";

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
    out += xml_escaped(printable(recordings[i].name));
    out += "\">";
    append_base64(out, as_bytes(recordings[i].bytes));
    out += "</script>\n";
  }
  return out += page.substr(mark + kRecordingsMark.size());
}

std::string live_page() {
  std::string page(page_text());
  const std::size_t policy = page.find(kPolicy);
  SERVOSIM_ASSERT(policy != page.npos, "{} bytes", page.size());
  page.insert(policy + kPolicy.size(), kLivePolicy);
  const std::size_t mark = page.find(kRecordingsMark);
  SERVOSIM_ASSERT(mark != page.npos, "{} bytes", page.size());
  return page.replace(mark, kRecordingsMark.size(), kLiveMark);
}

}  // namespace servosim

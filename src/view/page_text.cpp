// SPDX-License-Identifier: Apache-2.0
#include "view/page_text.h"

namespace servosim {
namespace {

// cmake/build_page.cmake generates the file.
constexpr char kPageText[] =
#include "replay_page.inc"
    ;

}  // namespace

std::string_view page_text() { return {kPageText, sizeof kPageText - 1}; }

}  // namespace servosim

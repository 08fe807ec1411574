// SPDX-License-Identifier: Apache-2.0
#include "view/page_text.h"

namespace servosim {
namespace {

// Of cmake/build_page.cmake.
constexpr char kPageText[] =
#include "replay_page.inc"
    ;

}  // namespace

std::string_view page_text() { return {kPageText, sizeof kPageText - 1}; }

}  // namespace servosim

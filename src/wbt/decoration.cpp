// SPDX-License-Identifier: Apache-2.0
#include "wbt/decoration.h"

#include <algorithm>
#include <array>
#include <span>

#include "wbt/lexer.h"

namespace servosim::wbt {
namespace {

// Returns whether the block at the lexer's position sets one of these fields of the node.
bool gives(Lexer ahead, std::span<const std::string_view> fields) {
  int depth = 0;
  for (; ahead.peek().kind != TokenKind::End; ahead.advance()) {
    const Token& token = ahead.peek();
    if (token.kind == TokenKind::OpenBrace || token.kind == TokenKind::OpenBracket) {
      ++depth;
    } else if (token.kind == TokenKind::CloseBrace || token.kind == TokenKind::CloseBracket) {
      --depth;
    } else if (depth == 1 && token.kind == TokenKind::Word &&
               std::find(fields.begin(), fields.end(), token.text) != fields.end()) {
      return true;
    }
    if (depth <= 0) {
      break;
    }
  }
  return false;
}

// Returns true for skies, pictures on walls and signs, which nothing is meant to
// touch. Those of Webots that have poles have stand-ins. Names of such PROTOs in projects end like
// those of Webots.
bool is_named_as_decoration(std::string_view type) {
  static constexpr std::array<std::string_view, 8> kEnds{"Sky",    "SkyDome", "Skydome",  "SkyBox",
                                                         "Skybox", "Poster",  "Painting", "Sign"};
  static constexpr std::array<std::string_view, 8> kNames{
      "CautionPanel",     "DirectionPanel",  "ExitPanel", "OrderPanel",
      "RectangularPanel", "SpeedLimitPanel", "StopPanel", "YieldPanel"};
  const auto ends_type = [type](std::string_view end) { return type.ends_with(end); };
  return std::any_of(kEnds.begin(), kEnds.end(), ends_type) ||
         std::find(kNames.begin(), kNames.end(), type) != kNames.end();
}

}  // namespace

bool is_decoration(std::string_view type, const Lexer& block) {
  static constexpr std::array<std::string_view, 4> kOfBodies{"controller", "physics",
                                                             "boundingObject", "endPoint"};
  return is_named_as_decoration(type) && !gives(block, kOfBodies);
}

}  // namespace servosim::wbt

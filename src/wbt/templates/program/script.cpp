// SPDX-License-Identifier: Apache-2.0
#include "wbt/templates/program/script.h"

#include <algorithm>

namespace servosim {
namespace {

// `x + 1;` is an expression too.
std::string_view without_end(std::string_view code) {
  const std::size_t last = code.find_last_not_of("; \t\r\n");
  return code.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

Script::Script(const TemplateRequest& request) {
  for (std::size_t i = 0; i < request.pieces.size(); ++i) {
    const TemplatePiece& piece = request.pieces[i];
    const std::string number = std::to_string(i);
    switch (piece.kind) {
      case TemplatePiece::Kind::Text:
        add("__text(" + number + ");", piece.line);
        break;
      case TemplatePiece::Kind::Statement:
        add(piece.text, piece.line);
        break;
      case TemplatePiece::Kind::Expression:
        add("__value(" + number + ",", piece.line);
        add(without_end(piece.text), piece.line);
        add(");", piece.line);
        break;
    }
  }
}

// A line of its own, since the code may end in a comment.
void Script::add(std::string_view code, std::uint32_t line) {
  text_ += code;
  text_ += '\n';
  const auto count = 1 + std::count(code.begin(), code.end(), '\n');
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    lines_.push_back(line++);
  }
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "wbt/templates/program/script.h"

#include <algorithm>
#include <utility>

namespace servosim {
namespace {

// `x + 1;` is an expression, too.
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

// A separate line is necessary, since the code may end in a comment.
void Script::add(std::string_view code, std::uint32_t line) {
  text_ += code;
  text_ += '\n';
  const auto count = 1 + std::count(code.begin(), code.end(), '\n');
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    lines_.push_back(line++);
  }
}

bool TemplateOutput::write_text(std::size_t piece) {
  return piece < request_.pieces.size() && write(piece, request_.pieces[piece].text);
}

bool TemplateOutput::write_value(std::size_t piece, std::string_view text) {
  return piece < request_.pieces.size() && write(piece, text);
}

bool TemplateOutput::write(std::size_t piece, std::string_view text) {
  if (text.size() > kMaxTemplateOutput - answer_.text.size()) {
    full_ = true;
    return false;
  }
  if (!text.empty() && answer_.spans.size() < kMaxTemplateSpans) {
    answer_.spans.push_back(
        {static_cast<std::uint32_t>(answer_.text.size()), static_cast<std::uint32_t>(piece)});
  }
  answer_.text += text;
  return true;
}

void TemplateOutput::add_note(std::uint32_t line, std::string_view text) {
  if (answer_.notes.size() < kMaxTemplateNotes) {
    answer_.notes.push_back({line, std::string(text.substr(0, kMaxTemplateNote))});
  } else {
    ++omitted_notes_;
  }
}

TemplateAnswer TemplateOutput::finish() {
  if (omitted_notes_ > 0) {
    answer_.notes.push_back({0, "... and " + std::to_string(omitted_notes_) + " times more"});
  }
  return std::move(answer_);
}

TemplateAnswer TemplateOutput::fail(std::uint32_t line, std::string_view text, bool at_limit) {
  TemplateAnswer answer = finish();
  answer.at_limit = at_limit || full_;
  answer.fault = TemplateNote{line, std::string(text.substr(0, kMaxTemplateNote))};
  answer.text.clear();
  answer.spans.clear();
  return answer;
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "wbt/templates/program/template_output.h"

#include <utility>

namespace servosim {

bool TemplateOutput::write_text(std::size_t piece) {
  return piece < request_.pieces.size() && write(piece, request_.pieces[piece].text);
}

bool TemplateOutput::write_value(std::size_t piece, std::string_view text) {
  return piece < request_.pieces.size() && write(piece, text);
}

bool TemplateOutput::write(std::size_t piece, std::string_view text) {
  if (text.size() > kMostTemplateOutput - answer_.text.size()) {
    full_ = true;
    return false;
  }
  if (!text.empty() && answer_.spans.size() < kMostTemplateSpans) {
    answer_.spans.push_back(
        {static_cast<std::uint32_t>(answer_.text.size()), static_cast<std::uint32_t>(piece)});
  }
  answer_.text += text;
  return true;
}

void TemplateOutput::say(std::uint32_t line, std::string_view text) {
  if (answer_.notes.size() < kMostTemplateNotes) {
    answer_.notes.push_back({line, std::string(text.substr(0, kLongestTemplateNote))});
  } else {
    ++unsaid_;
  }
}

TemplateAnswer TemplateOutput::finish() {
  if (unsaid_ > 0) {
    answer_.notes.push_back({0, "... and " + std::to_string(unsaid_) + " times more"});
  }
  return std::move(answer_);
}

TemplateAnswer TemplateOutput::fail(std::uint32_t line, std::string_view text, bool at_limit) {
  TemplateAnswer answer = finish();
  answer.at_limit = at_limit || full_;
  answer.fault = TemplateNote{line, std::string(text.substr(0, kLongestTemplateNote))};
  answer.text.clear();
  answer.spans.clear();
  return answer;
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "scene/checks.h"

#include <utility>
#include <vector>

#include "scene/substitutes.h"

namespace servosim {

namespace {

std::string text_of(const wbt::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return '"' + *text + '"';
  }
  if (const auto* integer = std::get_if<std::int32_t>(&value)) {
    return fmt::format("{}", *integer);
  }
  return fmt::format("{}", std::get<double>(value));
}

}  // namespace

void Checked::substituted(std::string_view field, std::string_view value, wbt::Value substitute,
                          std::string_view rule) const {
  replaced(field, value, text_of(substitute), rule);
  note(field, std::move(substitute));
}

void Checked::note(std::string_view field, wbt::Value substitute) const {
  const wbt::FieldType* row = node_.type->field(field);
  if (!keeps_ && row != nullptr && node_.id != 0) {
    SubstituteNotes::add({node_.id, row->name, std::move(substitute)});
  }
}

}  // namespace servosim

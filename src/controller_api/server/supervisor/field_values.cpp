// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/field_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "controller_api/server/supervisor/field_edit.h"
#include "wbt/values.h"

namespace servosim {
namespace {

using wbt::Value;
using wbt::ValueType;

namespace item {
enum : std::uint8_t { Bool = 1, Int32, Float, Vec2f, Vec3f, Rotation, Color, String, Node };
}
constexpr std::uint8_t kList = 0x10;

struct ItemWriter {
  OwnedResponse& response;

  void operator()(bool v) { response.integer = v ? 1 : 0; }
  void operator()(std::int32_t v) { response.integer = v; }
  void operator()(double v) { response.add_numbers({v}); }
  void operator()(const std::string& v) { response.text = v; }
  void operator()(const wbt::Vec2& v) { response.add_numbers({v.x, v.y}); }
  void operator()(const Vec3& v) { response.add_numbers(v); }
  void operator()(const AxisAngle& v) {
    response.add_numbers({v.axis.x, v.axis.y, v.axis.z, v.angle});
  }
  void operator()(const wbt::NodePtr& v) {
    response.node = v ? static_cast<std::int32_t>(v->id) : kNoNode;
  }
};

template <class Item>
void write_one(ItemWriter& writer, const Item& item, std::int32_t) {
  writer(item);
}

template <class Item>
void write_one(ItemWriter& writer, const std::vector<Item>& list, std::int32_t index) {
  const std::size_t i = checked_index(index, list.size(), false);
  if constexpr (std::is_same_v<Item, bool>) {
    writer(static_cast<bool>(list[i]));
  } else {
    writer(list[i]);
  }
}

void check_axis(const AxisAngle& turn) {
  if (turn.axis == Vec3{}) {
    throw SupervisorRequestError("called with an invalid axis: 0 0 0.");
  }
}

void check_color(const Vec3& color) {
  for (const double part : {color.x, color.y, color.z}) {
    if (part < 0.0 || part > 1.0) {
      throw SupervisorRequestError("called with invalid RGB values: outside [0,1] range.");
    }
  }
}

const char* name_of_item(std::uint8_t item) {
  static constexpr const char* kNames[] = {"no field", "Bool",     "Int32", "Float",  "Vec2f",
                                           "Vec3f",    "Rotation", "Color", "String", "Node"};
  return item < std::size(kNames) ? kNames[item] : "unknown";
}

}  // namespace

void OwnedResponse::clear() {
  static_cast<SupervisorResponse&>(*this) = {};
  all_numbers_.clear();
  own_text_.clear();
}

void OwnedResponse::add_numbers(std::span<const double> added) {
  SERVOSIM_ASSERT(count() == all_numbers_.size(), "{} numbers of {}", count(), all_numbers_.size());
  all_numbers_.insert(all_numbers_.end(), added.begin(), added.end());
  numbers = std::as_bytes(std::span<const double>(all_numbers_));
}

void OwnedResponse::set_text(std::string to) {
  own_text_ = std::move(to);
  text = own_text_;
}

void OwnedResponse::add_line(std::string_view line) {
  own_text_ += own_text_.empty() ? "" : "\n";
  own_text_ += line;
  text = own_text_;
}

const Value& OwnedResponse::keep(Value value) {
  value_ = std::move(value);
  return value_;
}

std::uint8_t field_type_number(ValueType type) {
  switch (type) {
    case ValueType::SFBool:
      return item::Bool;
    case ValueType::SFInt32:
      return item::Int32;
    case ValueType::SFFloat:
    case ValueType::SFFloatOrVec3f:
      return item::Float;
    case ValueType::SFVec2f:
      return item::Vec2f;
    case ValueType::SFVec3f:
      return item::Vec3f;
    case ValueType::SFRotation:
      return item::Rotation;
    case ValueType::SFColor:
      return item::Color;
    case ValueType::SFString:
      return item::String;
    case ValueType::SFNode:
      return item::Node;
    case ValueType::MFBool:
      return kList | item::Bool;
    case ValueType::MFInt32:
      return kList | item::Int32;
    case ValueType::MFFloat:
      return kList | item::Float;
    case ValueType::MFVec2f:
      return kList | item::Vec2f;
    case ValueType::MFVec3f:
      return kList | item::Vec3f;
    case ValueType::MFRotation:
      return kList | item::Rotation;
    case ValueType::MFColor:
      return kList | item::Color;
    case ValueType::MFString:
      return kList | item::String;
    case ValueType::MFNode:
      return kList | item::Node;
  }
  return 0;
}

void check_type(ValueType type, std::uint8_t item) {
  if ((field_type_number(type) & ~kList) != item) {
    throw SupervisorRequestError(fmt::format("called with a wrong field type: {} is no {}.",
                                             wbt::to_string(type), name_of_item(item)));
  }
}

void write_item(const Value& value, std::int32_t index, OwnedResponse& response) {
  ItemWriter writer{response};
  std::visit([&](const auto& v) { write_one(writer, v, index); }, value);
}

void check_value(ValueType type, const Value& value) {
  if (type == ValueType::SFRotation) {
    check_axis(std::get<AxisAngle>(value));
  } else if (type == ValueType::MFRotation) {
    const auto& list = std::get<std::vector<AxisAngle>>(value);
    std::for_each(list.begin(), list.end(), check_axis);
  } else if (type == ValueType::SFColor) {
    check_color(std::get<Vec3>(value));
  } else if (type == ValueType::MFColor) {
    const auto& list = std::get<std::vector<Vec3>>(value);
    std::for_each(list.begin(), list.end(), check_color);
  }
}

Value item_of(ValueType type, const SupervisorRequest& request) {
  const auto& n = request.numbers;
  switch (field_type_number(type) & ~kList) {
    case item::Bool:
      return request.integer != 0;
    case item::Int32:
      return request.integer;
    case item::Float:
      return n[0];
    case item::Vec2f:
      return wbt::Vec2{n[0], n[1]};
    case item::Vec3f:
      return Vec3{n[0], n[1], n[2]};
    case item::Rotation: {
      const AxisAngle turn{{n[0], n[1], n[2]}, n[3]};
      check_axis(turn);
      return turn;
    }
    case item::Color: {
      const Vec3 color{n[0], n[1], n[2]};
      check_color(color);
      return color;
    }
    case item::String:
      return std::string(request.text);
    default:
      throw SupervisorRequestError(
          "nodes come in by wb_supervisor_field_import_*_node_from_string() only.");
  }
}

}  // namespace servosim

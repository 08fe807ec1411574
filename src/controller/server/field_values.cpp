// SPDX-License-Identifier: Apache-2.0
#include "controller/server/field_values.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "controller/server/supervisor/supervisor_server.h"
#include "wbt/values.h"

namespace servosim {
namespace {

using wbt::Value;
using wbt::ValueType;

namespace item {
enum : std::uint8_t { Bool = 1, Int32, Float, Vec2f, Vec3f, Rotation, Color, String, Node };
}
constexpr std::uint8_t kList = 0x10;

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

struct Teller {
  SupervisorResponse& response;
  std::vector<double>& numbers;

  void put(std::initializer_list<double> list) {
    numbers.assign(list);
    response.numbers = std::as_bytes(std::span<const double>(numbers));
  }
  void operator()(bool v) { response.integer = v ? 1 : 0; }
  void operator()(std::int32_t v) { response.integer = v; }
  void operator()(double v) { put({v}); }
  void operator()(const std::string& v) { response.text = v; }
  void operator()(const wbt::Vec2& v) { put({v.x, v.y}); }
  void operator()(const Vec3& v) { put({v.x, v.y, v.z}); }
  void operator()(const AxisAngle& v) { put({v.axis.x, v.axis.y, v.axis.z, v.angle}); }
  void operator()(const wbt::NodePtr& v) {
    response.node = v ? static_cast<std::int32_t>(v->id) : kNoNode;
  }
};

const char* name_of_item(std::uint8_t item) {
  static constexpr const char* kNames[] = {"no field", "Bool",     "Int32", "Float",  "Vec2f",
                                           "Vec3f",    "Rotation", "Color", "String", "Node"};
  return item < std::size(kNames) ? kNames[item] : "unknown";
}

}  // namespace

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

std::int32_t item_count(const Value& value) {
  return std::visit(
      [](const auto& v) -> std::int32_t {
        if constexpr (IsList<std::decay_t<decltype(v)>>::value) {
          return static_cast<std::int32_t>(v.size());
        } else {
          return -1;
        }
      },
      value);
}

std::size_t checked_index(std::int32_t index, std::size_t count, bool between) {
  const auto size = static_cast<std::int64_t>(count) + (between ? 1 : 0);
  if (size == 0) {
    throw SupervisorRequestError("called on an empty list.");
  }
  if (index < -size || index >= size) {
    throw SupervisorRequestError(
        fmt::format("called with an out-of-bound index: {} (should be between {} and {}).", index,
                    -size, size - 1));
  }
  return static_cast<std::size_t>(index < 0 ? index + size : index);
}

void read_item(const Value& value, std::int32_t index, SupervisorResponse& response,
               std::vector<double>& numbers) {
  Teller teller{response, numbers};
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::vector<bool>>) {
          teller(static_cast<bool>(v[checked_index(index, v.size(), false)]));
        } else if constexpr (IsList<T>::value) {
          teller(v[checked_index(index, v.size(), false)]);
        } else {
          teller(v);
        }
      },
      value);
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
    case item::Rotation:
      if (n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0) {
        throw SupervisorRequestError("called with an invalid axis: 0 0 0.");
      }
      return AxisAngle{{n[0], n[1], n[2]}, n[3]};
    case item::Color:
      for (std::size_t i = 0; i < 3; ++i) {
        if (n[i] < 0.0 || n[i] > 1.0) {
          throw SupervisorRequestError("called with invalid RGB values: outside [0,1] range.");
        }
      }
      return Vec3{n[0], n[1], n[2]};
    case item::String:
      return std::string(request.text);
    default:
      throw SupervisorRequestError(
          "nodes come in by wb_supervisor_field_import_*_node_from_string() only.");
  }
}

std::size_t place_of(const std::vector<wbt::NodePtr>& list, std::uint32_t node) {
  const auto is_it = [node](const wbt::NodePtr& item) { return item && item->id == node; };
  return static_cast<std::size_t>(std::find_if(list.begin(), list.end(), is_it) - list.begin());
}

void change_item(Value& value, Change change, std::int32_t index, const Value& item) {
  std::visit(
      [&](auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (IsList<T>::value) {
          using Item = typename T::value_type;
          const auto i =
              static_cast<std::ptrdiff_t>(checked_index(index, v.size(), change == Change::Insert));
          if (change == Change::Remove) {
            v.erase(v.begin() + i);
          } else if (change == Change::Insert) {
            v.insert(v.begin() + i, std::get<Item>(item));
          } else {
            v[static_cast<std::size_t>(i)] = std::get<Item>(item);
          }
        } else if (change == Change::Set) {
          v = std::get<T>(item);
        } else {
          throw SupervisorRequestError("called on a field that is no list.");
        }
      },
      value);
}

}  // namespace servosim

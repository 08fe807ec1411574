// SPDX-License-Identifier: Apache-2.0
#include "wbt/field_place.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/shortage.h"
#include "base/text.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"
#include "wbt/eras/legacy.h"
#include "wbt/lexer.h"
#include "wbt/values.h"

namespace servosim::wbt {

namespace {

template <class List>
constexpr bool kIsList = requires(List list) {
  list.begin();
}
&&!std::is_same_v<List, std::string>;

[[noreturn]] void refuse_item() { throw FieldPathError(0, "the list has no such item"); }

// Returns a field of the servo that a text chooses.
Value servo_value(const std::string& text, int part, const ServoCatalogue* servos) {
  const ServoField& field = servo_fields()[static_cast<std::size_t>(part)];
  try {
    ServoModel model;
    if (servos != nullptr) {
      model = *servos->model(text);
    } else {
      if (field.is_number()) {
        std::get<0>(field.member)(model) = std::numeric_limits<double>::quiet_NaN();
      }
      for (const auto& [key, value] : read_servo_choice(text).values) {
        if (key == field.key) {
          set_text(model, field, value);
        }
      }
    }
    const ServoValue value = value_of(model, field);
    return field.is_number() ? Value(std::get<double>(value)) : Value(std::get<std::string>(value));
  } catch (const std::exception& error) {
    rethrow_if_short(error);
    throw FieldPathError(0, error.what());
  }
}

// Returns the text of a choice with another value of a field of the servo.
std::string servo_with(const std::string& text, int part, const Value& value) {
  const ServoField& field = servo_fields()[static_cast<std::size_t>(part)];
  const auto* number = std::get_if<double>(&value);
  try {
    ServoChoice choice = read_servo_choice(text);
    choice.set(field.key,
               number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value));
    return to_string(choice);
  } catch (const std::invalid_argument& error) {
    throw FieldPathError(0, error.what());
  }
}

// Returns one number of a vector or a rotation.
double& part_of(Value& value, int part) {
  if (auto* const turn = std::get_if<AxisAngle>(&value)) {
    return turn->angle;
  }
  if (auto* const flat = std::get_if<Vec2>(&value)) {
    return part == 0 ? flat->x : flat->y;
  }
  auto& place = std::get<Vec3>(value);
  return part == 0 ? place.x : part == 1 ? place.y : place.z;
}

}  // namespace

FieldPathError::FieldPathError(std::size_t byte, const std::string& why, std::string_view wrong,
                               std::vector<std::string> all, std::string_view hint)
    : std::runtime_error([&] {
        const std::string close =
            did_you_mean(wrong, std::vector<std::string_view>(all.begin(), all.end()));
        return why + (close.empty() ? std::string(hint) : close);
      }()),
      at(byte),
      reason(why),
      name(wrong),
      names(std::move(all)) {}

ValueType item_type(ValueType list) {
  switch (list) {
    case ValueType::MFBool:
      return ValueType::SFBool;
    case ValueType::MFInt32:
      return ValueType::SFInt32;
    case ValueType::MFFloat:
      return ValueType::SFFloat;
    case ValueType::MFString:
      return ValueType::SFString;
    case ValueType::MFVec2f:
      return ValueType::SFVec2f;
    case ValueType::MFVec3f:
      return ValueType::SFVec3f;
    case ValueType::MFColor:
      return ValueType::SFColor;
    case ValueType::MFRotation:
      return ValueType::SFRotation;
    case ValueType::MFNode:
      return ValueType::SFNode;
    default:
      return list;
  }
}

ValueType type_at(const Tree& tree, const FieldPlace& place) {
  const ValueType type = field_view(*tree.find(place.node)->node, place.key)->type;
  if (place.part >= 0) {
    return !is_servo_field(tree, place) ||
                   servo_fields()[static_cast<std::size_t>(place.part)].is_number()
               ? ValueType::SFFloat
               : ValueType::SFString;
  }
  return place.item ? item_type(type) : type;
}

bool is_servo_field(const Tree& tree, const FieldPlace& place) {
  return place.part >= 0 && item_type(field_view(*tree.find(place.node)->node, place.key)->type) ==
                                ValueType::SFString;
}

Value value_at(const Value& whole, const FieldPlace& place, const ServoCatalogue* servos) {
  Value value = !place.item ? whole
                            : std::visit(
                                  [&place](const auto& list) -> Value {
                                    using List = std::decay_t<decltype(list)>;
                                    if constexpr (kIsList<List>) {
                                      if (*place.item < list.size()) {
                                        return typename List::value_type(list[*place.item]);
                                      }
                                    }
                                    refuse_item();
                                  },
                                  whole);
  if (place.part < 0) {
    return value;
  }
  const auto* const servo = std::get_if<std::string>(&value);
  return servo != nullptr ? servo_value(*servo, place.part, servos)
                          : Value(part_of(value, place.part));
}

Value whole_with(Value whole, const FieldPlace& place, Value value) {
  if (place.part >= 0) {
    FieldPlace vector = place;
    vector.part = -1;
    Value changed = value_at(whole, vector);
    if (auto* const servo = std::get_if<std::string>(&changed)) {
      *servo = servo_with(*servo, place.part, value);
    } else {
      part_of(changed, place.part) = std::get<double>(value);
    }
    value = std::move(changed);
  }
  if (!place.item) {
    return value;
  }
  std::visit(
      [&](auto& list) {
        using List = std::decay_t<decltype(list)>;
        if constexpr (kIsList<List>) {
          if (*place.item < list.size()) {
            list[*place.item] = std::get<typename List::value_type>(std::move(value));
            return;
          }
        }
        refuse_item();
      },
      whole);
  return whole;
}

Value read_flat_value(ValueType type, std::string_view text) {
  Lexer lexer(text);
  if (type == ValueType::SFString && lexer.peek().kind != TokenKind::String &&
      lexer.peek().kind != TokenKind::UnclosedString) {
    return std::string(trimmed(text));
  }
  std::size_t room = std::size_t{1} << 20;
  const Token first = lexer.peek();
  ValueReader reader(lexer, room);
  auto value = reader.read(type);
  if (!value && room == 0) {
    throw FieldPathError(first.offset, "the list is too long");
  }
  if (!value) {
    throw FieldPathError(first.offset, reader.problem());
  }
  if (lexer.peek().kind != TokenKind::End) {
    throw FieldPathError(lexer.peek().offset,
                         fmt::format("expected the end of the value, which is of type {}, found {}",
                                     to_string(type), lexer.peek().shown()));
  }
  return std::move(*value);
}

bool rebuilds_instance(const Tree& tree, const FieldPlace& place) {
  return targets_of(*tree.find(place.node)->node, place.key).needs_new_instance;
}

Edits edits_for(const Tree& tree, const FieldPlace& place, Value value, SourceLocation where,
                Diagnostics& diagnostics) {
  const Node& node = *tree.find(place.node)->node;
  const FieldView field = *field_view(node, place.key);
  value = whole_with(*field.value, place, std::move(value));
  Edits edits;
  const Targets targets = targets_of(node, place.key);
  if (targets.needs_new_instance) {
    WorldFile world = *tree.file();
    auto given = node.proto.instance->given;
    given[place.key.number] = std::move(value);
    NodePtr made = reinstantiate(world, node, std::move(given), diagnostics);
    if (!made) {
      throw FieldPathError(
          0, fmt::format("the PROTO {} cannot be made with this value", node.proto.name));
    }
    edits.last_id = world.last_id;
    edits.replaced[place.node] = std::move(made);
    return edits;
  }
  if (place.key.level > 0) {
    edits.change(place.node,
                 [number = place.key.number, value](Node& n) { set_parameter(n, number, value); });
  }
  for (const Connection& target : targets.fields) {
    const TreeEntry* const entry = tree.find(target.node);
    auto fitting = converted(value, field.type, target.field->type);
    if (entry == nullptr || !fitting) {
      continue;
    }
    for (const ParameterPlace& p : parameters_of(tree, target.node, *target.field)) {
      auto of_parameter = converted(value, field.type, p.type);
      if (of_parameter && (p.node != place.node || p.level > place.key.level)) {
        edits.change(p.node, [p, v = std::move(*of_parameter)](Node& n) {
          set_parameter(n, p.number, v, p.level);
        });
      }
    }
    edits.change(target.node, [row = target.field, where, v = std::move(*fitting)](Node& n) {
      set_field(n, *row, where, v);
    });
  }
  return edits;
}

}  // namespace servosim::wbt

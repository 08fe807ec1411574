// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "wbt/schema/node_types.h"

/// The notation of the field table. node_types_*.cpp have the rows; node_types.cpp makes NodeTypes
/// from them. No other file includes this header.
namespace servosim::wbt {

constexpr Version V(int major, int minor, int revision = 0) { return {major, minor, revision}; }
constexpr Version R(int year, char letter, int revision = 0) {
  return {year, letter - 'a', revision};
}

inline constexpr Version kAlways{};

constexpr FieldType row(std::string_view name, ValueType type, std::string_view default_text,
                        std::string_view unit, std::string_view range, std::string_view doc) {
  return {name, type, default_text, unit, range, kAlways, kNewestVersion, doc};
}
/// Marks a field whose edit has another effect than a rebuild of the world.
constexpr FieldType on_edit(EditEffect effect, FieldType field) {
  field.edit = effect;
  return field;
}
/// Marks a field that Webots does not have.
constexpr FieldType extension(FieldType field) {
  field.extension = true;
  return field;
}
constexpr FieldType since(const Version& first, FieldType field) {
  field.since = first;
  return field;
}
constexpr FieldType until(const Version& last, FieldType field) {
  field.until = last;
  return field;
}
constexpr FieldType between(const Version& first, const Version& last, FieldType field) {
  return since(first, until(last, field));
}

/// A node type as in the table.
struct NodeRows {
  std::string_view name;
  std::string_view base;      ///< NodeType::base
  std::string_view inherits;  ///< entry whose rows follow its own; empty if there is none
  Version since;
  NodeKind kind;
  std::span<const FieldType> rows;
  Version until = kNewestVersion;
};

std::span<const NodeRows> world_nodes();
std::span<const NodeRows> solid_nodes();
std::span<const NodeRows> joint_nodes();
std::span<const NodeRows> geometry_nodes();
std::span<const NodeRows> device_nodes();

}  // namespace servosim::wbt

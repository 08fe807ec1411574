// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/protocol/requests.h"
#include "wbt/node.h"

// Values of fields as a supervisor's messages have them. All functions throw SupervisorRequestError
// for what does not fit.

namespace servosim {

/// WbFieldType of a field of the table.
std::uint8_t field_type_number(wbt::ValueType type);
/// `item` is the WbFieldType of one item.
void check_type(wbt::ValueType type, std::uint8_t item);
/// Items of a list; -1 for a single value.
std::int32_t item_count(const wbt::Value& value);
/// Counted from 0 or, negative, from the end. `between`: a place between items, so one more.
std::size_t checked_index(std::int32_t index, std::size_t count, bool between);

/// Writes a single value, or item `index` of a list. `numbers` holds what `response` points to.
void read_item(const wbt::Value& value, std::int32_t index, SupervisorResponse& response,
               std::vector<double>& numbers);
/// The item that a SupervisorRequest brings for a field of that type.
wbt::Value item_of(wbt::ValueType type, const SupervisorRequest& request);

/// The index of a node in a list, or the list's size.
std::size_t place_of(const std::vector<wbt::NodePtr>& list, std::uint32_t node);

enum class Change : std::uint8_t { Set, Insert, Remove };
/// Changes a single value, or an item of a list.
void change_item(wbt::Value& value, Change change, std::int32_t index, const wbt::Value& item);

}  // namespace servosim

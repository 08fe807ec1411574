// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "controller_api/protocol/protocol.h"
#include "servosim/math.h"
#include "wbt/node.h"
#include "wbt/tree.h"

// The values of fields in the messages of a supervisor.

namespace servosim {

/// A request that is refused. what() is the text after `Error: wb_supervisor_x(): `.
class SupervisorRequestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A response, with the memory to which its numbers and texts point.
///
/// Invariant: `numbers` and `text` point into this object, into the tree, or nowhere. The object is
/// therefore not copied.
class OwnedResponse : public SupervisorResponse {
 public:
  OwnedResponse() = default;
  OwnedResponse(const OwnedResponse&) = delete;
  OwnedResponse& operator=(const OwnedResponse&) = delete;

  /// Makes the response empty.
  void clear();
  void add_numbers(std::span<const double> added);
  void add_numbers(std::initializer_list<double> added) {
    add_numbers(std::span(added.begin(), added.size()));
  }
  void add_numbers(const Vec3& v) { add_numbers({v.x, v.y, v.z}); }
  void set_text(std::string to);
  /// Adds a line to the text, which is a message to be shown.
  void add_line(std::string_view line);
  /// Stores a value, to which the response points until the next clear().
  const wbt::Value& keep(wbt::Value value);

 private:
  std::vector<double> all_numbers_;
  std::string own_text_;
  wbt::Value value_;
};

/// The field of the request.
inline wbt::FieldKey key_of(const SupervisorRequest& request) {
  return {request.level, request.field};
}

/// The WbFieldType of a field of the table.
std::uint8_t field_type_number(wbt::ValueType type);
/// @param item  WbFieldType of one item
/// @throws SupervisorRequestError if the field's items are of another type
void check_type(wbt::ValueType type, std::uint8_t item);

/// Writes a single value, or item `index` of a list, into the response. The text points into
/// `value`.
/// @throws SupervisorRequestError if the index is out of range
void write_item(const wbt::Value& value, std::int32_t index, OwnedResponse& response);
/// @throws SupervisorRequestError for an axis 0 0 0, or a colour outside of [0, 1]; also for an
///   item
void check_value(wbt::ValueType type, const wbt::Value& value);
/// The item that the request has for a field of that type.
/// @throws SupervisorRequestError for an axis 0 0 0, a colour outside of [0, 1], and a node
wbt::Value item_of(wbt::ValueType type, const SupervisorRequest& request);

}  // namespace servosim

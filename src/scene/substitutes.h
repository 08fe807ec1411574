// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wbt/world_file.h"

namespace servosim {

/// A value that a check puts in the place of a bad one, so that whoever reads the field finds it.
struct Substitute {
  std::uint32_t node = 0;  ///< wbt::Node::id
  std::string_view field;  ///< of the field table: valid for ever
  wbt::Value value;
};

/// While it lives, what checks of this thread substitute is noted in `list`, if that is not null.
/// So the readers of scene/, which have nothing else to do with it, need not hand it on.
class SubstituteNotes {
 public:
  explicit SubstituteNotes(std::vector<Substitute>* list) : before_(std::exchange(list_, list)) {}
  SubstituteNotes(const SubstituteNotes&) = delete;
  SubstituteNotes& operator=(const SubstituteNotes&) = delete;
  ~SubstituteNotes() { list_ = before_; }

  static void add(Substitute substitute);

 private:
  static thread_local std::vector<Substitute>* list_;
  std::vector<Substitute>* before_;
};

/// The world with them, also where a bad value is a parameter of a PROTO; `file` if there are none.
std::shared_ptr<const wbt::WorldFile> with_substitutes(std::shared_ptr<const wbt::WorldFile> file,
                                                       const std::vector<Substitute>& substitutes);

/// What Webots makes of a value that somebody writes into a field of a running world, beyond the
/// checks that every world undergoes: those few substitute nothing when a world is loaded.
/// `said`: why, or empty if the value stays as it is.
wbt::Value checked_on_edit(const wbt::Node& node, const wbt::FieldType& field, wbt::Value value,
                           std::string& said);

}  // namespace servosim

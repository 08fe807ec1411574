// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "wbt/field_path.h"
#include "wbt/field_place.h"
#include "wbt/node.h"
#include "wbt/tree.h"
#include "wbt/world_file.h"

namespace servosim {

/// Numbers in the tree of a world for which instances have values of their own: see Batch::set().
class Parameters {
 public:
  /// `world` must outlive this object, and its tree must not change.
  explicit Parameters(const Simulation& world);

  /// Returns the numbers that a name stands for, as indices that stay valid.
  /// @throws std::invalid_argument if it matches nothing
  std::vector<std::size_t> find(const std::string& name);
  std::size_t count() const { return numbers_.size(); }
  /// Returns the purpose of a number's random draws; it is the same in every batch of the world.
  std::uint64_t key(std::size_t number) const;

  /// Returns the tree with these values. Their order is that of the indices; NaN and missing values
  /// mean the value as loaded.
  std::shared_ptr<const wbt::WorldFile> tree_with(std::span<const double> values) const;
  /// @throws std::invalid_argument if the world cannot be simulated with these values, or only with
  /// another value instead of one of them; `name` is for the message
  void check(const std::string& name, std::span<const double> values) const;
  /// Checks the result for a tree that was built. `as_given` tells that no value was replaced;
  /// `found` has the diagnostics of the tree.
  void check_result(bool as_given, const std::vector<Diagnostic>& found) const;

 private:
  std::size_t index_of(const wbt::FieldPlace& number);

  const Simulation& world_;
  wbt::Tree tree_;
  std::vector<wbt::NamedNodes> names_;
  std::vector<wbt::FieldPlace> numbers_;  // numbers of nodes, not of the interfaces of PROTOs
};

}  // namespace servosim

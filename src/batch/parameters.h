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

/// Numbers in the tree of a world that instances have values of their own for: Batch::set().
class Parameters {
 public:
  /// `world` must outlive this, and its tree must not change.
  explicit Parameters(const Simulation& world);

  /// The numbers that a name stands for, as indices that stay the same.
  /// @throws std::invalid_argument if it matches nothing
  std::vector<std::size_t> find(const std::string& name);
  std::size_t count() const { return numbers_.size(); }
  /// What random draws of a number are for; the same in every batch of the world.
  std::uint64_t key(std::size_t number) const;

  /// The tree with these values, by index, NaN: as it was loaded, and for all that follow.
  std::shared_ptr<const wbt::WorldFile> tree_with(std::span<const double> values) const;
  /// @throws std::invalid_argument if the world cannot be simulated with such a tree, or only with
  /// another value in the place of one of them; `name` is for the message
  void check(const std::string& name, std::span<const double> values) const;
  /// The same of a tree that was built. `as_given`: no value of it was replaced; `found`: about it.
  void check_result(bool as_given, const std::vector<Diagnostic>& found) const;

 private:
  std::size_t index_of(const wbt::FieldPlace& number);

  const SimulationCore& core_;
  wbt::Tree tree_;
  std::vector<wbt::NamedNodes> names_;
  std::vector<wbt::FieldPlace> numbers_;  // of nodes, not of interfaces of PROTOs
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "servosim/simulation.h"
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
  struct Number {
    std::uint32_t node = 0;  // wbt::Node::id
    const wbt::FieldType* field = nullptr;
    int part = -1;  // of a vector, or item of a list; -1: all items of a list
    friend bool operator==(const Number&, const Number&) = default;
  };

  std::vector<std::uint32_t> start_nodes(const std::string& prefix) const;
  /// `problem`: why there is none, if it is still empty.
  std::vector<Number> numbers_of(std::uint32_t node, std::string_view path,
                                 std::string& problem) const;
  std::size_t index_of(const Number& number);
  std::vector<std::string> known_names() const;

  const SimulationCore& core_;
  wbt::Tree tree_;
  std::vector<Number> numbers_;
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/tree/body_row.h"
#include "physics/tree/tree_body.h"

namespace servosim {

struct ContactJoint;

/// The most rows of a contact: its normal, two directions of friction, three axes of rolling.
inline constexpr std::size_t kMaxContactRows = 6;

/// Adds the rows that ODE's contact joint has in the next step. `bodies`: of the contact's two
/// geoms; null for the world.
void add_contact_rows(const ContactJoint& contact, const std::array<const TreeBody*, 2>& bodies,
                      const StepSettings& settings, std::vector<BodyRow>& rows);

/// The force of a solved contact on the first of its bodies that is not the world [N].
Vec3 force_of_contact(std::span<const BodyRow> rows);

/// The states in which the rows of contacts started the solution of the last step, for those of the
/// next one. They save rounds and change no result.
class ContactStates {
 public:
  /// Contacts of the same shapes keep theirs.
  void match(std::span<const ContactJoint> contacts) {
    if (!contacts.empty() || !states_.empty()) {
      match_all(contacts);
    }
  }
  void load(std::size_t contact, std::span<BodyRow> rows) const;
  void store(std::size_t contact, std::span<const BodyRow> rows);

 private:
  void match_all(std::span<const ContactJoint> contacts);
  struct OfContact {
    std::uint64_t shapes = 0;
    std::array<std::array<Row::State, kPhases>, kMaxContactRows> rows{};
  };
  std::vector<OfContact> states_;
  std::vector<OfContact> before_;
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "robots/xml_fields.h"

namespace servosim::robots {

/// Checks which attributes the elements of an MJCF file have.
///
/// Threads: one at a time.
class MjcfAttributes {
 public:
  explicit MjcfAttributes(XmlFields& xml) : xml_(xml) {}

  /// Adds a loss for each attribute of an element that has no effect here although it may change
  /// the motion, and for each that MJCF does not have. One whose numbers are 0 loses nothing.
  /// Elements of other names than those in the table are skipped. An attribute that `compiler` does
  /// not have is an error, as it may change what all numbers of the file mean.
  /// @param row  the name in the table of an element whose own name has another meaning elsewhere
  void check(pugi::xml_node node, std::string_view row = {});
  /// Tells, once and at `top`, how many elements had numbers of MuJoCo's own solver.
  void tell_of_solver(pugi::xml_node top);

 private:
  XmlFields& xml_;
  std::map<std::string, int> solver_;  // by attribute: how many elements had it
};

}  // namespace servosim::robots

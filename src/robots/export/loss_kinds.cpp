// SPDX-License-Identifier: Apache-2.0
#include "robots/export/loss_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "robots/robot_names.h"

namespace servosim::robots {

void LossKinds::add(std::string_view kind, const SourceLocation& where, const std::string& name,
                    bool moves) {
  auto known = std::ranges::find(kinds_, kind, &Kind::what);
  if (known == kinds_.end()) {
    known = kinds_.insert(known, {std::string(kind), where, moves, {}});
  }
  known->names.push_back(name);
}

void LossKinds::append_to(std::vector<Loss>& losses) const {
  for (const Kind& kind : kinds_) {
    losses.push_back(
        {kind.where, fmt::format("{}: {}", kind.what, listed_names(kind.names)), kind.moves});
  }
}

}  // namespace servosim::robots

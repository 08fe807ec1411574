// SPDX-License-Identifier: Apache-2.0
#include "wbt/tree_parameters.h"

namespace servosim::wbt {

std::vector<ParameterPlace> parameters_of(const Tree& tree, std::uint32_t node,
                                          const FieldType& field) {
  std::vector<ParameterPlace> places;
  for (std::uint32_t id = node; id != 0; id = tree.find(id)->parent) {
    int level = 1;
    const ProtoInstance* instance = tree.find(id)->node->instance.get();
    for (; instance != nullptr; instance = instance->base.get(), ++level) {
      for (const Connection& c : instance->connections) {
        if (c.node == node && c.field != nullptr && c.field->name == field.name) {
          places.push_back({id, level, c.parameter, instance->interface->fields[c.parameter].type});
        }
      }
    }
  }
  return places;
}

}  // namespace servosim::wbt

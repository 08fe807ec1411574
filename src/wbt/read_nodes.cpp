// SPDX-License-Identifier: Apache-2.0
// Reads nodes that are added while a world runs: from a text, and from a PROTO that is expanded
// again.
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "wbt/eras/legacy.h"
#include "wbt/node_parser.h"
#include "wbt/proto/proto.h"
#include "wbt/tree.h"
#include "wbt/values.h"

namespace servosim::wbt {

namespace {

void prepare(ParseContext& reading, const WorldFile& world) {
  reading.world = world.path;
  reading.project = world.project;
  reading.coordinate_system = world.version < kR2020b ? "NUE" : "ENU";
  for (const NodePtr& node : world.nodes) {
    if (node->type->name == "WorldInfo" && world.version >= kR2020b) {
      reading.coordinate_system = node->string("coordinateSystem");
    }
  }
  reading.first_id = world.last_id;
}

Source source_for(const WorldFile& world, const std::string& label, std::string text,
                  Diagnostics& diagnostics) {
  Source source;
  source.file = diagnostics.sources().add(label, std::move(text));
  source.text = diagnostics.sources().text(source.file);
  source.version = header_version(source.text).value_or(world.version);
  source.folder = std::filesystem::path(world.path).parent_path().string();
  source.externs = world.externs;
  return source;
}

// Gives nodes of a new body the ids of those in the old body that are in the same place.
class IdMapper {
 public:
  void pair(const NodePtr& old, const NodePtr& replacement) {
    if (!old || !replacement || old->type != replacement->type || old->id == replacement->id ||
        !taken_.insert(old->id).second || !ids_.emplace(replacement->id, old->id).second) {
      return;
    }
    for (const Field& field : replacement->fields) {
      const Field* before = old->find(field.type->name);
      if (before == nullptr) {
        continue;
      }
      const auto* a = std::get_if<NodePtr>(&before->value);
      const auto* b = std::get_if<NodePtr>(&field.value);
      const auto* as = std::get_if<std::vector<NodePtr>>(&before->value);
      const auto* bs = std::get_if<std::vector<NodePtr>>(&field.value);
      if (a != nullptr && b != nullptr) {
        pair(*a, *b);
      } else if (as != nullptr && bs != nullptr) {
        for (std::size_t i = 0; i < std::min(as->size(), bs->size()); ++i) {
          pair((*as)[i], (*bs)[i]);
        }
      }
    }
  }

  // Returns the new body with the old ids.
  NodePtr renumbered(const NodePtr& root) {
    WorldFile holder;
    holder.nodes = {root};
    Edits edits;
    for (const auto& [replacement, old] : ids_) {
      edits.change(replacement, [this, old = old](Node& node) {
        node.id = old;
        if (node.proto.instance) {
          node.proto.instance = renumbered(*node.proto.instance);
        }
      });
    }
    return rewritten(holder, edits).nodes.front();
  }

 private:
  std::shared_ptr<const ProtoInstance> renumbered(const ProtoInstance& instance) const {
    auto made = std::make_shared<ProtoInstance>(instance);
    for (Connection& c : made->connections) {
      const auto found = ids_.find(c.node);
      c.node = found != ids_.end() ? found->second : c.node;
    }
    if (instance.base) {
      made->base = renumbered(*instance.base);
    }
    return made;
  }

  std::unordered_map<std::uint32_t, std::uint32_t> ids_;  // new id → old id
  std::unordered_set<std::uint32_t> taken_;
};

}  // namespace

std::vector<NodePtr> read_nodes(WorldFile& world, std::string text, Diagnostics& diagnostics,
                                const std::string& label) {
  Source source = source_for(world, label, std::move(text), diagnostics);
  ParseContext reading(diagnostics, ProtoFinder(world.project, world.library));
  prepare(reading, world);
  std::vector<std::string> importable;
  std::vector<NodePtr> nodes =
      NodeParser(reading, source).read_top_level(source.externs, importable);
  world.last_id += static_cast<std::uint32_t>(reading.nodes);
  if (reading.failed) {
    nodes.clear();
  }
  world.externs = std::move(source.externs);
  return nodes;
}

NodePtr reinstantiate(WorldFile& world, const Node& root, std::vector<std::optional<Value>> given,
                      Diagnostics& diagnostics) {
  const Source source = source_for(world, "imported node", "", diagnostics);
  ParseContext reading(diagnostics, ProtoFinder(world.project, world.library));
  prepare(reading, world);
  const Proto* proto = find_proto(reading, *root.proto.instance->interface);
  if (proto == nullptr || !proto->defect.empty() || proto->parameters.size() != given.size()) {
    return {};
  }
  NodePtr made = NodeParser(reading, source).instantiate(*proto, std::move(given));
  world.last_id += static_cast<std::uint32_t>(reading.nodes);
  if (!made || reading.failed) {
    return {};
  }
  owned(made).def = root.def;
  IdMapper mapper;
  mapper.pair(std::make_shared<Node>(root), made);
  return mapper.renumbered(made);
}

}  // namespace servosim::wbt

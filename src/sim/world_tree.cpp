// SPDX-License-Identifier: Apache-2.0
#include "sim/world_tree.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "scene/checks.h"
#include "scene/scene_builder.h"
#include "wbt/tree.h"
#include "wbt/world_file.h"

namespace servosim {

WorldTree::WorldTree(std::shared_ptr<const wbt::WorldFile> file,
                     std::shared_ptr<const MeshStore> meshes,
                     std::shared_ptr<const FarSolids> far_solids)
    : file_(std::move(file)), meshes_(std::move(meshes)), far_solids_(std::move(far_solids)) {}

WorldTree::WorldTree(const WorldTree& original)
    : file_(original.file_),
      edits_(original.edits_),
      version_(original.version_),
      sources_(original.sources_),
      diagnostics_(original.diagnostics_),
      meshes_(original.meshes_),
      far_solids_(original.far_solids_) {}

const wbt::Tree& WorldTree::nodes() {
  if (nodes_ == nullptr) {
    nodes_ = std::make_shared<wbt::Tree>(file_);
  } else if (nodes_->file() != file_) {
    nodes_->set_file(file_);
  }
  return *nodes_;
}

void WorldTree::replace(std::shared_ptr<const wbt::WorldFile> next) {
  if (next == nullptr) {
    throw std::invalid_argument("no tree");
  }
  file_ = std::move(next);
  ++edits_;
}

void WorldTree::edit(const wbt::Edits& edits) {
  static_cast<void>(nodes());
  nodes_->apply(edits, 1);  // replace() sets file_
  replace(nodes_->file());
}

CheckedTree WorldTree::check(std::shared_ptr<const wbt::WorldFile> next, const Scene& present,
                             Diagnostics& diagnostics) const {
  std::shared_ptr<const MeshStore> meshes = meshes_;
  std::vector<Substitute> substitutes;
  FarSolids far = *far_solids_;
  auto scene =
      std::make_shared<Scene>(build_scene(*next, diagnostics, &meshes, &substitutes, &far));
  if (diagnostics.errors() > 0) {
    throw LoadError(diagnostics.list());
  }
  if (scene->world.basic_time_step_ms != present.world.basic_time_step_ms) {
    diagnostics.replacement({},
                            "basicTimeStep cannot change while the world runs; it counts when the "
                            "world is loaded");
    scene->world.basic_time_step_ms = present.world.basic_time_step_ms;
  }
  return {with_substitutes(std::move(next), substitutes), std::move(scene), std::move(meshes)};
}

void WorldTree::keep_meshes(std::shared_ptr<const MeshStore> meshes) {
  meshes_ = meshes != nullptr ? std::move(meshes) : meshes_;
}

void WorldTree::keep_messages(Diagnostics& diagnostics) {
  diagnostics_ = CopyOnWrite(diagnostics.list());
  sources_ = CopyOnWrite(std::move(diagnostics.sources()));
}

void WorldTree::report_new(const std::vector<Diagnostic>& list, Notices& notices) {
  std::set<std::string> known;
  for (const Diagnostic& diagnostic : *diagnostics_) {
    known.insert(to_string(diagnostic));
  }
  for (const Diagnostic& d : list) {
    if (known.insert(to_string(d)).second) {
      // A notice is always shown as a warning, so that the severity is left out.
      const std::string where =
          d.file.empty() ? "" : fmt::format("{}:{}:{}: ", d.file, d.line, d.column);
      notices.report(where + d.message);
      keep_missing(d);
      if (diagnostics_->size() < Diagnostics::kMaxKept) {
        diagnostics_.writable().push_back(d);
      }
    }
  }
}

void WorldTree::keep_missing(const Diagnostic& diagnostic) {
  if (diagnostic.missing) {
    keep_missing(*diagnostic.missing);
  }
}

void WorldTree::keep_missing(MissingPart part) {
  if (missing_.size() < Diagnostics::kMaxKept) {
    missing_.push_back(std::move(part));
  }
}

std::vector<MissingPart> WorldTree::take_missing() { return std::exchange(missing_, {}); }

}  // namespace servosim

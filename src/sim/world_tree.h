// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/copy_on_write.h"
#include "base/report_once.h"
#include "servosim/diagnostics.h"
#include "sim/checked_tree.h"

namespace servosim {

namespace wbt {
struct Edits;
class Tree;
struct WorldFile;
}  // namespace wbt

struct FarSolids;
struct MeshStore;
struct Scene;

/// The node tree of a simulation, and what was found when it was read and checked: texts, messages,
/// files of meshes, missing parts.
///
/// Invariant: file() and far_solids() are never null.
///
/// Threads: one at a time for each object, copying included.
class WorldTree {
 public:
  /// @param file  the tree; not null
  /// @param meshes  the files of meshes that were read; may be null
  /// @param far_solids  the Solids that loading has left out; not null
  WorldTree(std::shared_ptr<const wbt::WorldFile> file, std::shared_ptr<const MeshStore> meshes,
            std::shared_ptr<const FarSolids> far_solids);
  /// Makes the tree of a clone, which shares what neither changes. It has no missing parts.
  WorldTree(const WorldTree& original);
  WorldTree(WorldTree&&) noexcept = default;

  const std::shared_ptr<const wbt::WorldFile>& file() const { return file_; }
  /// A number that grows each time another tree replaces file().
  std::uint64_t edits() const { return edits_; }
  /// A number that grows each time another scene is built of a tree: see count_scene().
  std::uint64_t version() const { return version_; }
  void count_scene() { ++version_; }
  /// The nodes of file() by their ids. The reference is valid as long as this object.
  const wbt::Tree& nodes();
  /// Replaces the tree. @throws std::invalid_argument for null
  void replace(std::shared_ptr<const wbt::WorldFile> next);
  /// Replaces the tree by itself with these edits.
  void edit(const wbt::Edits& edits);
  /// Checks another tree and makes its scene. The basic time step stays that of the present scene,
  /// since time is counted in steps.
  /// @throws LoadError if the tree cannot be simulated
  CheckedTree check(std::shared_ptr<const wbt::WorldFile> next, const Scene& present,
                    Diagnostics& diagnostics) const;

  const SourceMap& sources() const { return *sources_; }
  SourceMap& sources() { return sources_.writable(); }
  const std::shared_ptr<const MeshStore>& meshes() const { return meshes_; }
  /// Replaces the files of meshes, unless they are null.
  void keep_meshes(std::shared_ptr<const MeshStore> meshes);
  /// The Solids that loading has left out; not null.
  const std::shared_ptr<const FarSolids>& far_solids() const { return far_solids_; }

  /// Keeps the texts and messages of loading. `diagnostics` loses its texts.
  void keep_messages(Diagnostics& diagnostics);
  /// The messages about the present tree.
  const std::vector<Diagnostic>& diagnostics() const { return *diagnostics_; }
  void set_diagnostics(std::vector<Diagnostic> list) {
    diagnostics_ = CopyOnWrite(std::move(list));
  }
  /// Sends the messages that are new to `notices`, and stores them.
  void report_new(const std::vector<Diagnostic>& list, Notices& notices);
  /// Stores what a message, or a request of a controller, shows to be missing.
  void keep_missing(const Diagnostic& diagnostic);
  void keep_missing(MissingPart part);
  /// Returns the parts that were found missing since the last call.
  std::vector<MissingPart> take_missing();

 private:
  std::shared_ptr<const wbt::WorldFile> file_;
  std::shared_ptr<wbt::Tree> nodes_;  // made by the first nodes(), which updates it to file_
  std::uint64_t edits_ = 0;
  std::uint64_t version_ = 0;
  CopyOnWrite<SourceMap> sources_;
  CopyOnWrite<std::vector<Diagnostic>> diagnostics_;
  std::vector<MissingPart> missing_;
  std::shared_ptr<const MeshStore> meshes_;
  std::shared_ptr<const FarSolids> far_solids_;
};

}  // namespace servosim

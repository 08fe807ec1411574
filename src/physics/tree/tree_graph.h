// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

struct dxBody;
struct dxJoint;

namespace servosim {

class Attachments;
class Bodies;
struct JointRows;

/// The bodies of a world and the ODE joints that connect them when it is built. A body has at most
/// one joint with its parent, which makes trees. Any other joint closes a loop.
///
/// Example: in a four-bar linkage on the ground with the bars 0, 1 and 2, the joints world–0, 0–1
/// and 1–2 are edges, and the joint 2–world closes a loop, since bar 2 has a parent already.
///
/// Invariant: the parent of a body has a lower index.
class TreeGraph {
 public:
  /// A joint between two bodies, or a body without a joint.
  struct Edge {
    int child = -1;             ///< index of a body
    int parent = -1;            ///< index of a body; -1 for the world
    JointRows* rows = nullptr;  ///< null for a mounting
    dxJoint* joint = nullptr;   ///< null if there is no joint
    /// In the scene, the child of the joint is the world, and the body here is its parent.
    bool ends_at_world = false;
  };

  /// `joints` are in the order of the scene.
  TreeGraph(const Bodies& bodies, std::span<JointRows* const> joints,
            const Attachments& attachments);

  /// Returns the sets of bodies that joints connect, each in ascending order.
  const std::vector<std::vector<int>>& parts() const { return parts_; }
  /// Returns the joint of a body with its parent, which comes before it. Without one, the edge has
  /// no joint.
  const Edge& edge(int body) const { return edges_[body]; }
  /// Returns the joints that close loops, in the order of the scene.
  const std::vector<Edge>& loops() const { return loops_; }

 private:
  // Returns the index of a body; -1 for null, the world.
  int index_of(dxBody* id) const { return id != nullptr ? index_.at(id) : -1; }
  // Adds a joint of the scene.
  void add(JointRows& joint);
  // Decides whether the joint belongs to a tree or closes a loop.
  void add(Edge edge, dxBody* parent, dxBody* child);
  // Counts a joint of ODE that an edge represents.
  void add_known(dxJoint* joint);
  // Returns the representative of a set of connected bodies.
  int root_of(int body);
  // Finds which bodies ODE's joints connect.
  void unite_bodies(const Bodies& bodies);

  std::unordered_map<dxBody*, int> index_;
  std::vector<Edge> edges_;  // by child
  std::vector<Edge> loops_;
  std::vector<int> known_;  // by body: number of ODE joints that edges represent
  std::vector<int> above_;  // by body: a body of the same set; see root_of()
  std::vector<std::vector<int>> parts_;
};

}  // namespace servosim

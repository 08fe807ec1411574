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

/// The bodies of a world and the ODE joints that connect them when it is built: for each body the
/// joint with its parent in a tree, and the joints that close loops.
class TreeGraph {
 public:
  struct Edge {
    int child = -1;              ///< body
    int parent = -1;             ///< body; -1: the world
    JointRows* rows = nullptr;   ///< null for a mounting
    dxJoint* joint = nullptr;    ///< null for no joint
    bool ends_at_world = false;  ///< the scene has it the other way round: its child is the world
  };

  /// `joints`: in the order of the scene.
  TreeGraph(const Bodies& bodies, std::span<JointRows* const> joints,
            const Attachments& attachments);

  /// Bodies that joints connect, in rising order.
  const std::vector<std::vector<int>>& parts() const { return parts_; }
  /// With its parent, which comes before it; without a joint: none.
  const Edge& edge(int body) const { return edges_[body]; }
  const std::vector<Edge>& loops() const { return loops_; }

 private:
  int index_of(dxBody* id) const { return id != nullptr ? index_.at(id) : -1; }
  void add(JointRows& joint);
  void add(Edge edge, dxBody* parent, dxBody* child);
  void add_known(dxJoint* joint);
  int root_of(int body);
  void unite_bodies(const Bodies& bodies);

  std::unordered_map<dxBody*, int> index_;
  std::vector<Edge> edges_;  // by child
  std::vector<Edge> loops_;
  std::vector<int> known_;  // by body: ODE joints at it that the edges stand for
  std::vector<int> above_;  // by body, of those that are connected
  std::vector<std::vector<int>> parts_;
};

}  // namespace servosim

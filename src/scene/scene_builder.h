// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// The surroundings of a node of the tree: the Solid and the Robot above, and the node's placement
/// below that Solid.
struct NodeContext {
  int solid = -1;
  int robot = -1;
  Placement at;
  int led = -1;      ///< index among the Robot's devices of the LED that lights here belong to
  int display = -1;  ///< DisplaySpec::number of the Display that is shown here
  std::uint32_t place = 0;           ///< ShapeKey::place of a Shape
  bool on_billboard = false;         ///< below a Billboard, which no sensor sees
  const wbt::Node* wheel = nullptr;  ///< the TrackWheel above
  Pose wheel_pose = {};              ///< in the Solid's frame
};

/// Nodes that were saved at places that a simulation cannot reach: see is_out_of_space(). They are
/// left out.
struct FarSolids {
  bool search = false;
  std::set<std::uint32_t> nodes;  ///< wbt::Node::id
};

/// Builds a Scene by one walk over the tree of a world. It is used once.
///
/// Invariants: a Solid, Robot or joint is added after those above it, so that indices of parents
/// are smaller. The axes of a joint follow each other.
class SceneBuilder {
 public:
  SceneBuilder(const wbt::WorldFile& file, Diagnostics& diagnostics, MeshStore meshes,
               FarSolids* far)
      : file_(file),
        findings_(diagnostics),
        far_(far),
        mesh_files_(std::filesystem::path(file.path).parent_path().string(), diagnostics,
                    std::move(meshes), file.library) {}

  Scene build();
  const MeshStore& meshes() const { return mesh_files_.known(); }
  /// The values that checks use instead of bad ones, after build().
  const std::vector<Substitute>& substitutes() const { return findings_.substitutes(); }
  /// Returns the visible nodes, Shape and CadShape, with their surroundings. The result is complete
  /// after build() and valid as long as the file.
  const std::vector<std::pair<const wbt::Node*, NodeContext>>& shape_nodes() const {
    return shape_nodes_;
  }

 private:
  void walk(const wbt::Node& node, const NodeContext& here);
  void walk_children(const wbt::Node& node, NodeContext here);
  NodeContext below(int solid, const Placement& placement) const;
  int add_solid(const wbt::Node& node, const NodeContext& here, const Placement& placement,
                int joint = -1);
  int add_robot(const wbt::Node& node, int solid);
  void add_joint(const wbt::Node& node, const NodeContext& here);
  void add_servo(const wbt::Node& node, const NodeContext& here);
  int finish_joint(JointSpec spec, const std::string& name, const NodeContext& here);
  void add_device(DeviceSpec device, int joint, const NodeContext& here);
  void add_force_torque_sensor(const wbt::Node& node, int solid, const NodeContext& here);
  void add_plain_device(const wbt::Node& node, const NodeContext& here, int solid = -1);
  void register_devices(const wbt::Node& joint, std::string_view field, JointSpec& spec, int index,
                        const NodeContext& here, std::string& name);
  void register_devices(const wbt::Node& joint, std::string_view field,
                        std::span<const wbt::NodePtr> devices, JointSpec& spec, int index,
                        const NodeContext& here, std::string& name);
  bool leaves_out(const wbt::Node& node, const NodeContext& here);
  const wbt::Node* endpoint_of(const wbt::Node& joint, const NodeContext& here, int index);
  void add_belt(const wbt::Node& track, const NodeContext& here);
  int display_of(const wbt::Node& node, const NodeContext& here) const;
  std::vector<std::string> font_folders() const;
  void add_light(const wbt::Node& node, const NodeContext& here);
  void read_visible_shapes();
  void add_wheels(const wbt::Node& robot, const NodeContext& here);
  int add_wheel(const wbt::Node& wheel, const NodeContext& here, bool kinematic);
  void add_propeller(const wbt::Node& node, const NodeContext& here);
  int add_turning(const wbt::NodePtr& node, const NodeContext& here, std::string_view what);
  void add_head(const wbt::Node& lidar, const NodeContext& inside);
  std::string own_name(const wbt::Node& joint, const wbt::Node* endpoint, int first_axis) const;

  const wbt::WorldFile& file_;
  Findings findings_;
  FarSolids* far_;  // may be null
  MeshFiles mesh_files_;
  Scene scene_;
  std::vector<PendingReference> references_;
  std::vector<PendingCoupling> couplings_;
  int leds_ = 0;
  int lasers_ = 0;
  int displays_ = 0;
  std::map<std::uint32_t, std::uint32_t> shape_places_;  // by wbt::Node::id
  std::set<int> blades_;                                 // Solids whose Physics is not used
  std::vector<std::pair<const wbt::Node*, NodeContext>> shape_nodes_;
};

namespace wbt {
struct WorldFile;
}
struct MeshStore;
struct Substitute;

/// Turns a node tree into a typed scene with all checks of Webots. An invalid value is replaced and
/// reported. Joints and shapes that are not simulated are reported, too.
/// @param meshes  the mesh files that were read before, or an empty pointer; receives those of the
///   scene, too
/// @param substitutes  receives the values that fields should have instead of invalid ones
/// @param far  Solids that are no part of the scene; receives those of the present tree if it
///   searches them
Scene build_scene(const wbt::WorldFile& file, Diagnostics& diagnostics,
                  std::shared_ptr<const MeshStore>* meshes = nullptr,
                  std::vector<Substitute>* substitutes = nullptr, FarSolids* far = nullptr);

/// Returns a robot as URDF: one link per Solid and one joint per edge of its tree, in file order.
/// `prefix` precedes names. A link has an inertial if the world states mass and inertia, and a
/// collision for each primitive. A capsule becomes a cylinder and two spheres. Planes and meshes
/// are left out, because URDF has none without files. Nested robots are not part of it.
std::string to_urdf(const Scene& scene, int robot, const std::string& prefix);

}  // namespace servosim

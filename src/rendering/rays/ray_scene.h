// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <embree3/rtcore.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "rendering/rays/float3.h"
#include "rendering/renderer.h"

// The scenes of rays. Only this file and ray_scene.cpp know Embree.

namespace servosim::rays {

/// Returns whether the process ends, so that Embree has destroyed what its functions need. A
/// simulation in a static object may end later.
bool embree_is_gone();

/// Keeps an object that Embree can no longer release until the process has ended, so that a search
/// for leaks finds who has it.
void keep_to_the_end(const void* object);

/// Releases objects of Embree.
struct Release {
  void operator()(RTCDevice device) const { release(rtcReleaseDevice, device); }
  void operator()(RTCScene scene) const { release(rtcReleaseScene, scene); }
  void operator()(RTCGeometry geometry) const { release(rtcReleaseGeometry, geometry); }

 private:
  template <typename Handle>
  static void release(void (*function)(Handle), Handle handle) {
    if (embree_is_gone()) {
      keep_to_the_end(handle);
    } else {
      function(handle);
    }
  }
};
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release>;

/// The triangles of one geometry with Embree's tree over them. All Shapes that differ only in pose
/// and scale share it.
struct BottomScene {
  /// `positions` and `normals` have a number more, since they are read in fours. There are always
  /// uvs.
  DrawnMesh mesh;
  bool mirrored = false;
  Owned<RTCScene> scene;
  Vec3 low;  ///< corners of a box around it
  Vec3 high;
  double radius = 0.0;  ///< of a sphere around the middle of the box
  /// What the laws of light need of a triangle: the cross product of two edges from its first
  /// corner, and the area of the parallelogram that they span in a picture.
  using Facet = std::array<float, 4>;
  std::vector<Facet> facets;

  Vec3 point(std::uint32_t vertex) const {
    const float* const p = &mesh.positions[std::size_t{3} * vertex];
    return {p[0], p[1], p[2]};
  }
};

/// A Shape that can be seen.
struct SeenShape {
  std::shared_ptr<const BottomScene> bottom;
  Vec3 scale;  ///< along the axes of the geometry
  InkForm ink = InkForm::Whole;
  std::size_t shape = 0;  ///< its number among the shapes of the Renderer
};

/// Returns whether a Shape is wholly beyond a depth, by its box along the axes of the world, as
/// Webots has it. Nothing is beyond a depth of 0.
/// @param shape  its pose in the world
/// @param far  the depth [m]; perhaps infinite
bool is_beyond(const SeenShape& seen, const Pose& shape, const Pose& eye, double far);

/// The triangles of all Shapes.
///
/// Threads: any number at a time.
class BottomScenes {
 public:
  /// @param like  other shapes, with which this shares equal triangles; may be null
  /// @throws std::runtime_error if Embree refuses something, std::bad_alloc without memory
  explicit BottomScenes(const std::vector<DrawnShape>& shapes, const BottomScenes* like = nullptr);

  RTCDevice device() const { return device_.get(); }
  const std::vector<SeenShape>& seen() const { return seen_; }
  std::size_t size() const { return size_; }

 private:
  // What a primitive depends on.
  using Key = std::tuple<DrawnShape::Form, int, std::array<bool, 4>, std::array<double, 2>, bool>;
  static Key key_of(const DrawnShape& shape, bool mirrored);
  std::shared_ptr<const BottomScene> of(const DrawnShape& shape, bool mirrored,
                                        const BottomScenes* like);
  std::shared_ptr<const BottomScene> make(DrawnMesh mesh, bool mirrored) const;

  Owned<RTCDevice> device_;
  std::map<Key, std::shared_ptr<const BottomScene>> primitives_;
  std::vector<std::shared_ptr<const BottomScene>> meshes_;
  std::vector<SeenShape> seen_;
  std::size_t size_;
};

/// The Shapes around a sensor, whose origin is that of the scene: single precision is enough then,
/// however far from the world's origin the sensor is.
///
/// Threads: one at a time; while nothing changes it, any number may trace().
class TopScene {
 public:
  /// @param bottom  must outlive this object
  /// @param members  the Shapes of the scene, among BottomScenes::seen()
  TopScene(const BottomScenes& bottom, std::vector<unsigned> members);

  const std::vector<unsigned>& members() const { return members_; }
  /// Places the Shapes for a sensor at `eye`.
  /// @param shapes  the pose of each shape in the world
  void place(const Pose& eye, std::span<const Pose> shapes);

  static constexpr int kPacket = 8;
  template <typename Value>
  using OfRays = std::array<Value, kPacket>;
  /// Rays from the origin. A null direction is no ray.
  struct Packet {
    OfRays<double> x;  ///< of the direction
    OfRays<double> y;
    OfRays<double> z;
    OfRays<double> near;  ///< rays begin here, in units of the direction
    double far = 0.0;     ///< and end here

    Vec3 direction(int i) const { return {x[i], y[i], z[i]}; }
    bool has(int i) const { return x[i] != 0.0 || y[i] != 0.0 || z[i] != 0.0; }
    void set_direction(int i, const Vec3& d) {
      x[i] = d.x;
      y[i] = d.y;
      z[i] = d.z;
    }
    /// Returns the directions of kLanes rays from one on.
    Floats3 directions(int first) const {
      return {rounded(&x[first]), rounded(&y[first]), rounded(&z[first])};
    }
  };
  /// Where rays meet triangles.
  struct Hits {
    alignas(32) OfRays<unsigned> shape;  ///< among BottomScenes::seen()
    OfRays<unsigned> triangle;           ///< of its geometry
    OfRays<float> u;                     ///< weight of the second corner
    OfRays<float> v;                     ///< weight of the third
    OfRays<float> distance;              ///< in units of the direction
    unsigned met = 0;  ///< which rays meet one, by bits; the others have no values
  };
  /// Finds what rays meet, in single precision.
  void trace(const Packet& packet, Hits& hits) const;
  /// Finds the distances to the first front faces, or infinity, in double precision: they are the
  /// same on every machine.
  void measure(const Packet& packet, OfRays<double>& distances) const;

  /// A front face that a ray passes through.
  struct Layer {
    unsigned shape = 0;  ///< as in Hits
    unsigned triangle = 0;
    float u = 0.0f;
    float v = 0.0f;
    float distance = 0.0f;
  };
  /// The front faces that a ray passes through, in any order: the nearest ones if there are more
  /// than kMost. They take no memory from the heap, because Embree adds them in threads that throw
  /// nothing.
  class Layers {
   public:
    static constexpr std::size_t kMost = 32;
    void add(const Layer& layer);
    std::span<Layer> all() { return std::span(layers_).first(count_); }

   private:
    std::array<Layer, kMost> layers_;
    std::size_t count_ = 0;
  };
  /// Adds the front faces that lie nearer than distances, by ray.
  void collect(const Packet& packet, const OfRays<float>& distances, OfRays<Layers>& layers) const;

  /// The number of registers for a packet.
  static constexpr int kParts = kPacket / kLanes;
  struct Ways {
    std::array<Floats3, kParts> from;
    std::array<Floats3, kParts> direction;  ///< of length one
    std::array<Floats, kParts> length;      ///< perhaps infinite
    unsigned used = 0;                      ///< which of them there are, by bits
  };
  /// Returns which ways a triangle blocks, whatever its side, by bits.
  unsigned blocked(const Ways& ways) const;
  /// Embree's scene. Instances have the numbers of BottomScenes::seen().
  RTCScene scene() const { return scene_.get(); }

 private:
  // From the frame of the sensor to that of a geometry, without rounding to single precision.
  struct Placed {
    std::array<float, 12> transform{};  ///< of the geometry in the frame of the sensor, by columns
    Mat3 to_geometry;
    Vec3 origin;  ///< that of the sensor, in the frame of the geometry
    const BottomScene* bottom = nullptr;
  };
  double exact_distance(const Placed& placed, unsigned triangle, const Vec3& direction,
                        double found) const;
  const BottomScenes& bottom_;
  Owned<RTCScene> scene_;
  std::vector<unsigned> members_;
  std::vector<Placed> placed_;  // by the number in BottomScenes::seen(), which instances have, too
  std::vector<Owned<RTCGeometry>> instances_;  // of the members
  bool is_committed_ = false;
};

/// Lets this thread round denormal numbers to zero while it exists, which Embree is fastest with.
class WithoutDenormals {
 public:
  WithoutDenormals();
  ~WithoutDenormals();
  WithoutDenormals(const WithoutDenormals&) = delete;
  WithoutDenormals& operator=(const WithoutDenormals&) = delete;

 private:
  [[maybe_unused]] unsigned before_ = 0;
};

}  // namespace servosim::rays

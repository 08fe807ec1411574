// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

class Eye;
class PhysicsWorld;
class Random;
class Sight;
struct Glance;
struct SightSpec;

/// The numbers of a picture. Who shares their memory keeps it, also when the sensor gets a picture
/// of another size, or is gone.
///
/// Threads: one at a time.
template <typename Number>
class PictureNumbers {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Number* begin() { return numbers_.get(); }
  Number* end() { return begin() + size_; }
  const Number* begin() const { return numbers_.get(); }
  const Number* end() const { return begin() + size_; }
  Number& operator[](std::size_t i) { return numbers_[i]; }
  /// Fills it. It takes other memory if the number of numbers changes.
  void assign(std::size_t count, Number value) {
    if (count != size_) {
      numbers_ = std::make_shared<Number[]>(count);
      size_ = count;
    }
    std::fill(begin(), end(), value);
  }
  void clear() { assign(0, {}); }
  std::shared_ptr<const void> shared() const { return {numbers_, begin()}; }

 private:
  std::shared_ptr<Number[]> numbers_;
  std::size_t size_ = 0;
};

/// A sensor that takes pictures of the Shapes that Webots draws, its own robot's included: a
/// RangingSensor, a Camera, or the recognition of a Camera.
///
/// Pictures are no part of a saved state, but for those of a rotating Lidar, which grow while its
/// head turns. After Simulation::restore() a sensor has the picture that it had before, until its
/// next sample; if it had no sample in that state, it has the picture that is there before the
/// first one.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class PictureSensor : public Device {
 public:
  ~PictureSensor() override;
  void enable(int period_ms, double now_ms) override;
  /// Enables it and takes a picture at once. Without power the picture is the one that is there
  /// before the first sample.
  /// @param period_ms  [ms], > 0
  /// @param now_ms  the simulated time [ms]
  void begin(int period_ms, double now_ms);
  /// The number of columns; for a Lidar the number of points in a layer.
  int width() const;
  /// The number of rows; for a Lidar the number of layers.
  int height() const;
  /// The bytes of the last picture, row by row from the upper left corner. There are none before
  /// the sensor is enabled. The span is valid until the tree changes; each sample overwrites the
  /// picture.
  virtual std::span<const std::byte> picture_bytes() const = 0;
  /// The memory of picture_bytes(), for who reads it while the tree changes, or longer than the
  /// sensor exists.
  virtual std::shared_ptr<const void> shared_picture() const = 0;
  /// Shows or hides what a node of the tree has below it, for this sensor alone, from its next
  /// sample on. Everything is visible at first. It is part of a saved state. The number of the node
  /// is that of supervisors; one that does not exist has no effect.
  void set_visible(std::uint32_t node, bool visible);

 protected:
  /// The caller binds it then.
  /// @param turn  its kind
  /// @param binding  its node and scene
  /// @param spec  the description for bind()
  /// @param follows  whether follow() does anything
  PictureSensor(Turn turn, const DeviceBinding& binding, const SightSpec& spec, bool follows);

  /// Binds it to a description and a scene; each rebind() calls it. Calls begin_again() if
  /// Webots makes other cameras for the new description, so that the next picture has no past.
  /// @param binding  its node and scene
  /// @param spec  outlives the binding
  void bind(const DeviceBinding& binding, const SightSpec& spec);
  /// Replaces a picture of another size by the one that is there before the first sample. Each
  /// rebind() calls it.
  void fit_picture(std::size_t bytes);
  /// Whether its node is in the tree.
  bool is_in_tree() const { return physics_ != nullptr; }
  const SightSpec& sight_spec() const { return *spec_; }
  PhysicsWorld& physics() const { return *physics_; }
  Sight& sight() const { return *sight_; }
  Random& random() { return random_; }

  /// Opens the eye that eye() returns. It is called when there is none.
  virtual std::unique_ptr<Eye> open(Sight& sight) const = 0;
  /// The eye. Only for a sensor that is in the tree.
  Eye& eye();
  /// Forgets the eye, since the next picture has other rays.
  void close_eye();
  /// What the eye sees now. Only for a sensor that is in the tree.
  /// @param turned  the frame of the rays in the sensor's own frame, which has x forward
  /// @param far  where rays end [m]; perhaps infinite
  /// @param sees_spots  whether it sees the spots of lasers, as Cameras do
  Glance glance(const Mat3& turned, double far, bool sees_spots = false) const;
  /// The part of the former picture that stays in the next one, in [0, 1), by the field motionBlur.
  double fading() const;

  /// Called when the next picture has no past: after other settings, or another state.
  virtual void begin_again() {}
  /// Makes the picture that is there before the first sample.
  virtual void clear() = 0;
  /// Notes that there was a sample since clear().
  void note_picture() { has_picture_ = true; }
  void archive_state(DeviceArchive& archive) override;

 private:
  const SightSpec* spec_;            // not null
  PhysicsWorld* physics_ = nullptr;  // null, like sight_: its node is gone
  Sight* sight_ = nullptr;
  Random& random_;
  std::unique_ptr<Eye> eye_;           // null until the first picture of this scene
  bool has_picture_ = false;           // there was a sample since clear()
  std::vector<std::uint32_t> hidden_;  // numbers of nodes, in rising order
};

}  // namespace servosim

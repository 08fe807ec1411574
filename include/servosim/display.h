// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "servosim/device.h"

namespace servosim {

class Camera;
class Notices;
class PaintedSurfaces;
struct DeviceSpec;
struct DrawingCall;
struct DrawingState;
struct Image;
struct Scene;
struct Texture;

/// A Display: a picture on which its controller draws, and which the Shapes of its first child
/// show. Cameras and infra-red DistanceSensors see it there.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Display : public Device {
 public:
  /// A black Display. What `binding` refers to must outlive it or its next rebind().
  explicit Display(const DeviceBinding& binding);
  ~Display() override;

  int width() const;   ///< columns
  int height() const;  ///< rows
  /// What has been drawn: height() rows of width() pixels, from the upper left corner; a pixel is
  /// four bytes: red, green, blue and alpha. It is opaque and black at the start. The span is valid
  /// until something is drawn or the tree changes.
  std::span<const std::uint8_t> picture() const;

  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  /// A reset makes the picture black. The images that the controller has made, and what it has set,
  /// stay.
  std::function<void()> keep_settings() override;

  // Only what follows is used by the simulation.

  /// An answer to its controller: see DrawingAnswer.
  struct Answer {
    bool done = false;
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> bytes;
  };
  /// Gives the answer to what the controller has asked, if it has.
  std::optional<Answer> take_answer();
  /// What Cameras see: the picture over that of an attached Camera, with its light. It gets another
  /// address when it changes, as long as somebody holds it.
  std::shared_ptr<const Image> shown() const;
  /// The red part, in [0, 1], of the pixel that a texture shows at a place of it.
  double red_at(const Texture& texture, const std::array<double, 2>& place) const;

 private:
  void archive_state(DeviceArchive& archive) override;
  void draw(const DrawingCall& call);
  void draw_figure(const DrawingCall& call);
  void draw_text(const DrawingCall& call);
  void use_image(const DrawingCall& call);
  void choose_font(const DrawingCall& call);
  void keep_image(std::int32_t number, std::shared_ptr<const Image> image);
  void answer_load(const DrawingCall& call);
  void answer_read(const DrawingCall& call);
  std::string font_file(const std::string& name) const;
  Image& writable();
  std::shared_ptr<const Image> own_picture() const;
  const Camera* attached_camera() const;
  // What controllers copy: the bytes of the picture over those of an attached Camera.
  std::shared_ptr<const Image> copied() const;

  const DeviceSpec* spec_;  // not null
  const Scene* scene_;      // null, like surfaces_: its node is gone
  PaintedSurfaces* surfaces_;
  Notices& notices_;
  std::unique_ptr<DrawingState> state_;  // not null
  std::optional<Answer> answer_;
  // The picture over that of a Camera, as it was shown last; null before.
  mutable std::shared_ptr<const Image> shown_;
};

}  // namespace servosim

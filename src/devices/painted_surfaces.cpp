// SPDX-License-Identifier: Apache-2.0
#include "devices/painted_surfaces.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.h"
#include "devices/device_archive.h"
#include "physics/state.h"
#include "scene/solid_builders.h"
#include "servosim/display.h"

namespace servosim {

PaintedSurfaces::PaintedSurfaces(const Scene& scene, const PaintedSurfaces* before)
    : scene_(scene) {
  if (before == nullptr) {
    return;
  }
  if (!has_pen(scene)) {
    ink_ = before->ink_;  // the Shapes that it is on may not be known
    return;
  }
  // The parts of a layer are those of a form, and its pixels those of a size: another Shape of the
  // same node has clean sides.
  for (const VisibleShape& shape : scene.visible_shapes) {
    if (const auto found = before->ink_.find(shape.key); found != before->ink_.end()) {
      const InkLayer now = ink_layer_for(shape);
      if (found->second->width() == now.width() && found->second->height() == now.height()) {
        ink_.insert(*found);
      }
    }
  }
}

void PaintedSurfaces::add(const Display& display, int number) {
  SERVOSIM_ASSERT(number >= 0, "Display number {}", number);
  const auto index = static_cast<std::size_t>(number);
  displays_.resize(std::max(displays_.size(), index + 1));
  displays_[index] = &display;
}

const Camera* PaintedSurfaces::camera(std::uint32_t node) const {
  const auto found = cameras_.find(node);
  return found != cameras_.end() ? found->second : nullptr;
}

const Display* PaintedSurfaces::display(int number) const {
  return number >= 0 && static_cast<std::size_t>(number) < displays_.size()
             ? displays_[static_cast<std::size_t>(number)]
             : nullptr;
}

std::shared_ptr<const InkLayer> PaintedSurfaces::ink(const ShapeKey& key) const {
  const auto found = ink_.find(key);
  return found != ink_.end() ? found->second : nullptr;
}

InkLayer& PaintedSurfaces::writable(const ShapeKey& key, const VisibleShape& shape) {
  std::shared_ptr<InkLayer>& layer = ink_[key];
  if (layer == nullptr) {
    layer = std::make_shared<InkLayer>(ink_layer_for(shape));
  } else if (layer.use_count() > 1) {
    layer = std::make_shared<InkLayer>(*layer);
  }
  return *layer;
}

std::array<double, 2> PaintedSurfaces::ink_place(const SeenPoint& seen) const {
  const VisibleShape& shape = scene_.visible_shapes[seen.shape];
  const PictureMapping& mapping = shape.mapping;
  return servosim::ink_place(mapping.ink, upright(mapping, seen.normal),
                             place_in_picture(mapping, shape.shape, seen.point, seen.triangle),
                             place_in_box(seen.point, mapping.low, mapping.high));
}

void PaintedSurfaces::write(const SeenPoint& seen, double lead_size, const InkLayer::Ink& ink) {
  const VisibleShape& shape = scene_.visible_shapes[seen.shape];
  const auto [u, v] = ink_place(seen);
  if (!InkLayer::takes(u, v, ink)) {
    return;
  }
  InkLayer& layer = writable(shape.key, shape);
  layer.mark(u, v, ink_radius(shape, layer, lead_size), ink);
}

void PaintedSurfaces::fade(double elapsed) {
  const double rate = scene_.world.ink_evaporation;
  if (!(rate > 0.0)) {
    return;
  }
  for (auto& [key, layer] : ink_) {
    if (!layer->fades()) {
      continue;  // its address tells Cameras that nothing has changed
    }
    if (layer.use_count() > 1) {
      layer = std::make_shared<InkLayer>(*layer);
    }
    layer->fade(std::exp(-rate * elapsed));
  }
}

double PaintedSurfaces::reflection(const SeenPoint& seen) const {
  const VisibleShape& shape = scene_.visible_shapes[seen.shape];
  const SurfaceLook& surface = *shape.surface;
  const Display* const shown = surface.red_map.is_node ? display(shape.display) : nullptr;
  const std::shared_ptr<const InkLayer> layer = ink(shape.key);
  if (shown == nullptr && layer == nullptr && !surface.has_picture()) {
    return surface.reflection_at({});
  }
  const std::array<double, 2> place =
      place_in_picture(shape.mapping, shape.shape, seen.point, seen.triangle);
  double red =
      shown == nullptr
          ? surface.red_at(place)
          : surface.red_of_display * shown->red_at(surface.red_map, surface.transform.apply(place));
  if (layer != nullptr) {
    const auto [u, v] = ink_place(seen);
    const InkLayer::Ink ink = layer->at(u, v);
    red += (static_cast<double>(ink.red) - red) * static_cast<double>(ink.density);
  }
  return surface.reflection(red, place);
}

void PaintedSurfaces::archive(DeviceArchive& archive) {
  using Layer = std::pair<ShapeKey, std::shared_ptr<InkLayer>>;
  std::vector<Layer> layers;
  if (!archive.restores()) {
    layers.assign(ink_.begin(), ink_.end());
  }
  archive.unhashed_list(layers, [&archive](Layer& entry) {
    auto& [key, layer] = entry;
    std::array<int, 2> size{};
    std::vector<InkLayer::Spot> spots;
    if (layer != nullptr) {
      size = {layer->width(), layer->height()};
      spots = layer->spots();
    }
    archive.unhashed(key);
    archive.unhashed(size);
    archive.unhashed_list(spots);
    if (archive.restores()) {
      layer = std::make_shared<InkLayer>(size[0], size[1]);
      std::for_each(spots.begin(), spots.end(),
                    [&layer = *layer](const InkLayer::Spot& spot) { layer.put(spot); });
    }
  });
  if (archive.restores()) {
    ink_ = {layers.begin(), layers.end()};
  }
}

}  // namespace servosim

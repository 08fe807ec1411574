// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include "base/device_command.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/device_types.h"
#include "devices/measuring.h"
#include "devices/sight.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/ranging_sensor.h"

namespace servosim {

namespace {

constexpr double kCircle = 2.0 * std::numbers::pi;
constexpr std::string_view kFrequency = "defaultFrequency";

// The rotation that lets a sensor look up by `angle` [rad].
Mat3 tilted(double angle) { return rotation_matrix({{0.0, 1.0, 0.0}, -angle}); }

}  // namespace

// The columns of a rotating Lidar are those of the whole circle, with the one that looks forward in
// the middle. In a sample it measures those over which its head turns.
class Lidar : public RangingSensor {
 public:
  explicit Lidar(const DeviceBinding& binding)
      : RangingSensor(binding), frequency_(spec().frequency), step_s_(0.0) {
    Lidar::rebind(binding);
  }

  void rebind(const DeviceBinding& binding) override {
    frequency_ = setting_after(frequency_, spec().frequency, binding.spec.ranging->frequency);
    RangingSensor::rebind(binding);
    frequency_ = std::clamp(frequency_, spec().min_frequency, spec().max_frequency);
    if (spec().rotating && picture().empty()) {
      clear();  // it is part of every state
    }
    if (binding.world != nullptr) {
      const Scene& scene = binding.world->scene;
      step_s_ = scene.world.basic_time_step_ms / 1000.0;
      head_at_rest_ = spec().head >= 0 ? scene.solids[spec().head].pose : Pose{};
    }
  }

  void enable(int period_ms, double now_ms) override {
    // A rotating Lidar measures in each step, whatever period it is given.
    const int each_step = std::max(1, static_cast<int>(1000.0 * step_s_));
    RangingSensor::enable(spec().rotating && period_ms > 0 ? each_step : period_ms, now_ms);
  }

 private:
  std::unique_ptr<Eye> open(Sight& sight) const override {
    RayPattern pattern;
    pattern.projection = spec().rotating ? Projection::Cylindrical : spec().projection;
    pattern.width = width();
    pattern.height = height();
    pattern.field_of_view = spec().rotating ? kCircle : spec().field_of_view;
    for (int layer = 0; layer < height(); ++layer) {
      const double part = height() > 1 ? static_cast<double>(layer) / (height() - 1) : 0.5;
      pattern.elevations.push_back((0.5 - part) * spec().vertical_field_of_view +
                                   (spec().rotating ? spec().tilt : 0.0));
    }
    return sight.open(pattern);
  }

  void measure(double now_ms) override {
    if (!is_in_tree()) {
      return;
    }
    spec().rotating ? turn_head(now_ms) : take(tilted(spec().tilt), 0, width());
    sampler_.store(0.0, now_ms);
  }

  // The strip that is measured is as wide as the head turns, and at most as wide as the field of
  // view. Its middle is where the head was at the last sample. The head turns clockwise, and
  // columns grow to the right.
  void turn_head(double now_ms) {
    const double last_ms = sampler_.last_ms();
    const double passed_s = std::isfinite(last_ms) ? 0.001 * (now_ms - last_ms) : step_s_;
    const double turn = kCircle * frequency_ * passed_s;
    const double middle = width() * (0.5 + head_ / kCircle);
    const double wide = width() * std::min(turn, spec().field_of_view) / kCircle;
    const int first = continued(static_cast<int>(std::ceil(middle - 0.5 * wide)));
    const int last = static_cast<int>(std::ceil(middle + 0.5 * wide));
    // Column c looks at the azimuth pi - c / width circle, where other pictures have c + 1/2.
    const Mat3 by_half = rotation_matrix({{0.0, 0.0, 1.0}, 0.5 * kCircle / width()});
    for (int column = first; column < std::min(last, first + width());) {
      const int here = ((column % width()) + width()) % width();
      const int count = std::min(std::min(last, first + width()) - column, width() - here);
      take(by_half, here, count);
      column += count;
    }
    head_ = std::fmod(head_ + turn, kCircle);
    next_column_ = last % width();
    if (spec().head >= 0) {
      const Mat3 turned = spec().axes * rotation_matrix({{0.0, 0.0, 1.0}, -head_}) *
                          transposed(spec().axes) * head_at_rest_.rotation;
      physics().kinematic_motion().set_pose(spec().head, {turned, head_at_rest_.translation});
    }
  }
  // Returns the column from which a strip begins, which is computed as `first`. Both ends of a
  // strip are rounded, and so a column between two strips might belong to none or to both.
  int continued(int first) const {
    const int off = (next_column_ - first) % width();
    for (const int by : {0, -1, 1}) {
      if (next_column_ >= 0 && (off - by) % width() == 0) {
        return first + by;
      }
    }
    return first;
  }

  CommandEffect command(const DeviceCommand& command, double now_ms) override {
    if (command.kind != CommandKind::Frequency) {
      return RangingSensor::command(command, now_ms);
    }
    const std::array numbers{command.numbers[0]};
    set_field(kFrequency, numbers);
    return {true, true, kFrequency};
  }
  void list_settings(std::vector<DeviceSetting>& settings) const override {
    settings.push_back({kFrequency, {frequency_}});
  }
  std::function<void()> keep_settings() override {
    return [this, frequency = frequency_, measures = Device::keep_settings()] {
      frequency_ = std::clamp(frequency, spec().min_frequency, spec().max_frequency);
      measures();
    };
  }
  void set_field(std::string_view field, std::span<const double> numbers) override {
    if (field != kFrequency) {
      return;
    }
    if (!(numbers[0] >= spec().min_frequency && numbers[0] <= spec().max_frequency)) {
      throw_invalid("frequency", numbers[0], "in the range of minFrequency and maxFrequency");
    }
    frequency_ = numbers[0];
  }
  void archive_state(DeviceArchive& archive) override {
    RangingSensor::archive_state(archive);
    archive.unhashed(head_);
    archive.unhashed(next_column_);
    archive.unhashed(frequency_);
    if (spec().rotating) {
      archive.unhashed_array(own_picture());
    }
  }

  double frequency_;      // turns per second
  double step_s_;         // the basic time step
  double head_ = 0.0;     // how far the head has turned clockwise [rad], in [0, 2 pi)
  int next_column_ = -1;  // the column after the last strip; -1 before the first one
  Pose head_at_rest_;     // of the Solid in rotatingHead, in the frame of the Lidar
};

SERVOSIM_MAKE_SENSOR(Lidar)

}  // namespace servosim

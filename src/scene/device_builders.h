// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scene/checks.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "wbt/node.h"

namespace servosim {

/// Makes `spec` an Emitter or a Receiver if `node`, which is Solid number `solid`, is one.
void read_antenna(const wbt::Node& node, int solid, DeviceSpec& spec, Diagnostics& diagnostics);

/// What a Connector is; nothing if `device` is none. The Solid is left to the caller.
std::optional<ConnectorSpec> read_connector(const wbt::Node& device, Diagnostics& diagnostics);

/// What `device` measures; nothing if it is no sensor of that sort. The Solid is left to the
/// caller.
std::optional<SolidSensorSpec> read_solid_sensor(const wbt::Node& device, Diagnostics& diagnostics);

/// The rows of a lookup table that are finite, by rising value.
std::vector<LookupRow> read_lookup_table(const wbt::Node& device, Diagnostics& diagnostics);

/// The fields that make a device what it is, with those of the nodes inside that are no Solids.
std::vector<DeviceField> read_device_fields(const wbt::Node& device);

/// The numbers of a Propeller that stands at `at`, in the frame of the Solid above.
PropellerSpec read_propeller(const wbt::Node& node, const Placement& at, Diagnostics& diagnostics);

/// The RotationalMotor of a Propeller; nothing without one.
std::optional<DeviceSpec> read_propeller_motor(const wbt::Node& propeller,
                                               Diagnostics& diagnostics);

/// The fields of a DifferentialWheels node; its wheels are left to the caller.
DifferentialWheelsSpec read_wheels(const wbt::Node& node, Diagnostics& diagnostics);

/// 0 or 1 for a Solid that is the left or the right wheel by its name; -1 for others.
int wheel_side(const wbt::Node& node);

/// The hinge that turns a wheel: forwards, towards the robot's -z, when its position grows.
JointSpec wheel_joint(const wbt::Node& wheel);

/// The rays of a DistanceSensor. The first one, or a ring where they are few, is the middle; the
/// others stand evenly on rings around +x, the outermost one at half the aperture, and left mirrors
/// right.
std::vector<SensorRay> read_rays(const Checked& sensor);

/// How far they reach: to the last value of the lookup table; to infinity without one.
double ray_range(const Checked& sensor, std::span<const LookupRow> table);

/// A light that stands at `at` below its Solid, which is left to the caller; nothing if `node` is
/// no light or, unless it is one of an LED, is off.
std::optional<LightSpec> read_light(const wbt::Node& node, const Placement& at, bool is_of_led,
                                    Diagnostics& diagnostics);

/// What an LED is, without its lights; nothing if `device` is none.
std::optional<LedSpec> read_led(const wbt::Node& device, Diagnostics& diagnostics);

/// What coupled motors have in common, but for their multipliers.
struct CoupledLimits {
  double low = 0.0;  ///< minPosition and maxPosition; both 0 for none
  double high = 0.0;
  double velocity = 0.0;
};
/// Those of a motor with this multiplier that is coupled to one with `first` and `its_multiplier`.
CoupledLimits coupled_limits(const CoupledLimits& first, double its_multiplier, double multiplier);

/// Whether two of them differ by no more than the rounding error of a ratio, there and back.
bool same_limit(double a, double b);

/// The part before the only `::` of a motor's name; motors of one robot that share it are coupled.
/// None if there is no `::`, or more than one.
std::optional<std::string_view> coupling_base(std::string_view motor_name);

/// Numbers the coupled motors of every robot (MotorSpec::coupling). The first of each group imposes
/// its soft limits and speed limit, by the ratio of multipliers, on the others: a warning each.
void couple_motors(Scene& scene, Diagnostics& diagnostics);

/// The Muscle nodes of a motor, offsets as written.
std::vector<MuscleSpec> read_muscles(const wbt::Node& motor, Diagnostics& diagnostics);

/// Turns the start offsets from the frame the joint stands in into the parent Solid's.
void place_muscles(std::vector<MuscleSpec>& muscles, const Placement& at);

}  // namespace servosim

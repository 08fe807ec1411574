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

/// Sets emitter and receiver of `spec` if `node`, which is Solid number `solid`, is an Emitter, a
/// Receiver or a Radio.
void read_radio(const wbt::Node& node, int solid, DeviceSpec& spec, Findings& findings);

/// Returns the checked fields of a Connector or VacuumGripper, or nothing for other nodes. The
/// caller sets the Solid.
std::optional<ConnectorSpec> read_connector(const wbt::Node& device, Findings& findings);

/// Returns what `device` measures, or nothing if it is no sensor of that sort. The caller sets the
/// Solid.
std::optional<BodySensorSpec> read_body_sensor(const wbt::Node& device, Findings& findings);

/// The axes of sensors of pictures, Radars and Viewpoints before R2022a, as rows: they looked along
/// -z, with y upwards.
inline constexpr Mat3 kAxesOfOldSensors{{0.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0}};

/// Sets `camera` or `ranging` of `device` if `node`, which is Solid number `solid`, is a Camera, a
/// RangeFinder or a Lidar. The fields that its controller may ask for get the checked values.
void read_picture_sensor(const wbt::Node& node, int solid, MeshFiles& files, DeviceSpec& device,
                         Findings& findings);

/// Returns the checked fields of a Radar, or nothing for other nodes. The caller sets the Solid.
/// The fields that its controller may ask for get the checked values.
std::optional<RadarSpec> read_radar(const wbt::Node& device, std::vector<DeviceField>& fields,
                                    Findings& findings);

/// Returns the finite rows of a lookup table, sorted by value.
std::vector<LookupRow> read_lookup_table(const wbt::Node& device, Findings& findings);

/// Returns the fields of a device that its controller may ask for, with those of nodes in them that
/// are no Solids.
std::vector<DeviceField> read_device_fields(const wbt::Node& device);

/// Returns the checked fields of a Propeller at `at`, in the frame of the Solid above.
PropellerSpec read_propeller(const wbt::Node& node, const Placement& at, Findings& findings);

/// Returns the RotationalMotor of a Propeller. Returns nothing, with a warning, if it has none.
std::optional<DeviceSpec> read_propeller_motor(const wbt::Node& propeller, Findings& findings);

/// Returns the checked fields of a DifferentialWheels node. The caller sets its wheels.
DifferentialWheelsSpec read_wheels(const wbt::Node& node, Findings& findings);

/// Returns 0 or 1 for a Solid that is the left or the right wheel by its name, and -1 for others.
int wheel_side(const wbt::Node& node);

/// Returns the hinge of a wheel. A growing position drives the robot forwards, along its -z.
JointSpec wheel_joint(const wbt::Node& wheel);

/// Returns the rays of a DistanceSensor, whose weights add up to 1. The first ray is the middle,
/// except that 2 to 6 rays are one ring. The others are spaced evenly on rings around +x, symmetric
/// to the left and right. The outermost ring is at half the aperture.
/// @param aperture  see read_aperture() [rad]
std::vector<SensorRay> read_rays(const CheckedFields& sensor, double aperture);

/// Returns the aperture of a DistanceSensor [rad], from 0 to a full turn.
double read_aperture(const CheckedFields& sensor);

/// Returns the range of the rays [m]: the last value of the lookup table, or infinity without a
/// table.
double ray_range(const CheckedFields& sensor, std::span<const LookupRow> table);

/// Returns the checked fields of a light at `at` below its Solid, which the caller sets. Returns
/// nothing if `node` is no light, or if it is off and does not belong to an LED.
std::optional<LightSpec> read_light(const wbt::Node& node, const Placement& at, bool is_of_led,
                                    Findings& findings);

/// Returns the checked fields of an LED without its lights, or nothing for other nodes.
std::optional<LedSpec> read_led(const wbt::Node& device, Findings& findings);

/// Tells a controller the value of a field that is used, which may differ from that in the file.
/// Returns the value.
inline double tell_controller(std::vector<DeviceField>& fields, std::string_view name,
                              double value) {
  for (DeviceField& field : fields) {
    if (field.name == name) {
      field.numbers = {value};
    }
  }
  return value;
}

/// Returns a number of pixels from 1 to `most`, and tells the controller.
/// @param otherwise  takes the place of one that is < 1
int read_pixels(const CheckedFields& checked, std::string_view field, int otherwise, int most,
                std::vector<DeviceField>& fields);

/// Returns the checked fields of a Display without its number, or nothing for other nodes.
/// @param fields  what its controller is told; receives the sizes that are used
/// @param font_folders  see DisplaySpec
std::optional<DisplaySpec> read_display(const wbt::Node& device, std::vector<DeviceField>& fields,
                                        std::vector<std::string> font_folders, Findings& findings);

/// Returns the checked fields of a Pen, or nothing for other nodes.
std::optional<PenSpec> read_pen(const wbt::Node& device, int solid, Findings& findings);

/// Limits that coupled motors share, each scaled by the motor's multiplier.
struct CoupledLimits {
  double low = 0.0;  ///< minPosition and maxPosition; both 0 mean none
  double high = 0.0;
  double velocity = 0.0;
};
/// Returns the limits of a motor with `multiplier` that is coupled to a motor with `first` and
/// `first_multiplier`.
CoupledLimits coupled_limits(const CoupledLimits& first, double first_multiplier,
                             double multiplier);

/// Returns whether two limits differ by no more than rounding: 1e-12 of the larger one.
bool same_limit(double a, double b);

/// Returns the part of a motor's name before its only `::`. Motors of a robot with the same part
/// are coupled. Returns nothing without a `::`, or with several.
std::optional<std::string_view> coupling_base(std::string_view motor_name);

/// Numbers the groups of coupled motors of every robot (MotorSpec::coupling). The soft limits and
/// the speed limit of the first motor, scaled by the ratio of multipliers, replace those of the
/// others, each with a warning.
void couple_motors(Scene& scene, Findings& findings);

/// Finds the servos that motors are: MotorSpec::servo. A servo that does not exist is an error; one
/// whose joint is not simulated is left out with a warning.
void find_servos(Scene& scene, const wbt::WorldFile& file, Findings& findings);

/// Returns the Muscle nodes of a motor, with the offsets of the file.
std::vector<MuscleSpec> read_muscles(const wbt::Node& motor, Findings& findings);

/// Transforms the start offsets from the frame of the joint node to that of the parent Solid.
void place_muscles(std::vector<MuscleSpec>& muscles, const Placement& at);

}  // namespace servosim

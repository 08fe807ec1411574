// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "scene/surface_look.h"
#include "servosim/diagnostics.h"
#include "servosim/joint_type.h"
#include "servosim/math.h"
#include "servosim/servo_model.h"
#include "servosim/velocity_controller.h"

// The devices of a Scene, after every check. Indices refer to the vectors of Scene; -1 means none.

namespace servosim {

/// A muscle from the parent to the endpoint of its motor's joint.
struct MuscleSpec {
  double volume = 0.01;  ///< [m³]
  Vec3 start_offset;     ///< in the parent Solid's frame [m]
  Vec3 end_offset;       ///< in the endpoint's frame [m]
};

struct MotorSpec {
  std::string name;
  JointType type = JointType::Rotational;
  double max_velocity = 10.0;
  double max_force = 10.0;
  /// Force available at the start. It differs from max_force if Webots copies it before its check.
  double available_force = 10.0;
  double acceleration = -1.0;
  PidGains gains;
  double min_position = 0.0;  ///< soft limits; both 0 mean none
  double max_position = 0.0;
  double multiplier = 1.0;
  int coupling = 0;  ///< motors of a robot with the same number > 0 are coupled; 0 means not
                     ///< coupled
  double consumption_factor = 10.0;  ///< [W/(N·m)|W/N] power taken per effort
  std::vector<MuscleSpec> muscles;
  double fixed_position = 0.0;  ///< position of the joint if that is not simulated [rad]
  std::string servo_choice;     ///< field `servo`, see ServoChoice; empty for a motor as in Webots
  SourceLocation servo_where;
  /// The numbers of that servo in units of the joint: for a slider m and N in place of rad and N·m.
  /// Motors with the same servo may share them. nullptr: a motor as in Webots.
  std::shared_ptr<const ServoModel> servo;
};

struct SensorSpec {
  JointType type = JointType::Rotational;
  double noise = 0.0;
  double resolution = -1.0;
  double fixed_position = 0.0;  ///< its value if its joint is not simulated [rad]
};

struct LookupRow {
  double value = 0.0;    ///< the physical value
  double reading = 0.0;  ///< the sensor's reading
  double noise = 0.0;    ///< standard deviation, relative to the reading
};

struct SensorRay {
  Vec3 direction;       ///< in the sensor's frame, length one
  double weight = 1.0;  ///< share of the mean; all add up to 1
};

/// The model of a TouchSensor that measures a force and a torque, by which a controller knows it.
inline constexpr const char* kForceTorqueModel = "force-torque";
/// ForceTorque is no node: it is the field forceTorqueSensor of a joint.
enum class TouchType : std::uint8_t { Bumper, Force, Force3d, ForceTorque };
/// Sonar finds the nearest surface that throws the sound back.
enum class RayType : std::uint8_t { Generic, InfraRed, Sonar };

/// A sensor that is a Solid: see BodySensor.
struct BodySensorSpec {
  int solid = -1;
  std::vector<LookupRow> lookup_table;  ///< by rising value; empty if the reading is the physical
                                        ///< value
  std::array<bool, 3> axes{true, true, true};
  double noise = 0.0;              ///< standard deviation
  double noise_correlation = 0.0;  ///< correlation of a GPS's noise in samples 1 s apart, in [0, 1]
  double resolution = -1.0;
  double speed_noise = 0.0;  ///< noise of a GPS's speed [m/s]
  double speed_resolution = -1.0;
  TouchType touch_type = TouchType::Bumper;
  Vec3 axis{1.0, 0.0, 0.0};  ///< the direction in which a TouchSensor of type "force" measures
  RayType ray_type = RayType::Generic;
  std::vector<SensorRay> rays;  ///< rays of a DistanceSensor
  double range = 0.0;           ///< range of these rays [m]; > 0, perhaps infinite
  int laser = -1;               ///< number among the DistanceSensors of the scene that throw a spot
  double spot_radius = 0.0;     ///< of a laser's spot [m]; 0 if it throws none
  double red_sensitivity = 1.0;      ///< sensitivity of an infra-red DistanceSensor, >= 0
  Vec3 color_filter{1.0, 1.0, 1.0};  ///< filter of a LightSensor
  bool occlusion = false;            ///< whether Solids in between shade a LightSensor
};

/// How the rays of a picture spread.
///
/// Planar: through the pixels of a flat picture. A distance is the depth along x.
/// Cylindrical: columns and rows have equal steps of azimuth and elevation.
/// Spherical: the angle to x is proportional to the distance from the middle of the picture.
/// The distances of the last two are lengths of rays.
enum class Projection : std::uint8_t { Planar, Cylindrical, Spherical };

/// Returns whether the width of a picture can span an angle [rad]. A planar picture of pi would be
/// endless.
constexpr bool is_angle_of_view(Projection projection, double angle) {
  constexpr double kPi = std::numbers::pi;
  return angle > 0.0 &&
         (projection == Projection::Planar ? angle < kPi : angle <= 2.0 * kPi + 1e-3);
}

/// A Lens node: the distortion of a planar picture.
struct LensDistortion {
  std::array<double, 2> center{0.5, 0.5};      ///< as fractions of width and height
  std::array<double, 2> radial{0.0, 0.0};      ///< k1, k2
  std::array<double, 2> tangential{0.0, 0.0};  ///< p1, p2
};

/// What sensors of pictures have in common.
struct SightSpec {
  int solid = -1;
  Mat3 axes;  ///< from x forward, y to the left, z up to the axes of the Solid
  Projection projection = Projection::Planar;
  int width = 64;                   ///< columns; of a Lidar the points of a layer
  int height = 64;                  ///< rows, or layers
  double field_of_view = 0.785398;  ///< [rad], of the width
  double near = 0.01;               ///< [m], > 0
  double motion_blur = 0.0;         ///< [ms]; the time in which 99.5 % of a picture fades
  double noise = 0.0;  ///< standard deviation [m]; of a Camera as a part of full brightness
  std::optional<LensDistortion> lens;
};

/// A RangeFinder or a Lidar: a sensor that measures a picture of distances.
struct RangingSpec : SightSpec {
  bool is_lidar = false;
  double min_range = 0.01;   ///< [m], >= near
  double max_range = 1.0;    ///< [m], > min_range
  double resolution = -1.0;  ///< [m]; -1 means none
  // Only a Lidar has the members that follow.
  double vertical_field_of_view = 0.2;  ///< angle between the first and the last layer [rad]
  double tilt = 0.0;                    ///< [rad], positive looks up
  bool rotating = false;
  int head = -1;            ///< the Solid in rotatingHead of a rotating Lidar; -1 without one
  double frequency = 10.0;  ///< turns per second, in [min_frequency, max_frequency]
  double min_frequency = 1.0;
  double max_frequency = 25.0;
};

/// A Focus node: the depth at which a picture is sharp.
struct FocusSpec {
  double distance = 0.0;  ///< [m], in [min_distance, max_distance]
  double length = 0.0;    ///< a surface that is nearer or farther by this is fully blurred [m]
  double min_distance = 0.0;
  double max_distance = 0.0;
};

/// A Recognition node: which Solids a Camera recognises.
struct RecognitionSpec {
  double max_range = 100.0;  ///< [m]
  int max_objects = -1;      ///< -1 means any number
  int occlusion = 1;         ///< how hidden objects are found: 0 not, 1 by one ray, 2 by several
  bool segmentation = false;
};

/// A picture that a device needs when it is enabled, so that it is not read before.
struct NamedPicture {
  std::string name;  ///< for the library of the world; perhaps empty, if there is no such file
  std::string url;   ///< in the world, for messages
  bool operator==(const NamedPicture&) const = default;
};

/// A Camera: a sensor that takes a picture of colours.
struct CameraSpec : SightSpec {
  double far = 0.0;       ///< Shapes that are wholly farther are not seen [m]; 0 means no limit
  double exposure = 1.0;  ///< >= 0
  bool anti_aliasing = false;
  std::optional<std::array<double, 2>> zoom;  ///< smallest and largest angle of view [rad]
  std::optional<FocusSpec> focus;
  std::optional<NamedPicture> noise_mask;
  std::optional<RecognitionSpec> recognition;
};

/// A Radar: see Radar.
struct RadarSpec {
  int solid = -1;
  Mat3 axes;                ///< from x forward, y to the left, z up to the axes of the Solid
  double min_range = 1.0;   ///< [m], > 0
  double max_range = 50.0;  ///< [m], > min_range
  double horizontal_field_of_view = 0.78;  ///< [rad], in (0, pi)
  double vertical_field_of_view = 0.1;     ///< [rad], in (0, pi/2)
  double min_absolute_speed = 0.0;         ///< [m/s], >= 0
  double min_radial_speed = 0.0;           ///< [m/s]; no limits if this and the next are 0
  double max_radial_speed = 0.0;
  double cell_distance = 0.0;             ///< [m]; targets do not merge if it is 0
  double cell_speed = 0.0;                ///< [m/s]; of any speed if it is 0
  double range_noise = 0.0;               ///< standard deviation [m]
  double speed_noise = 0.0;               ///< [m/s]
  double angular_noise = 0.0;             ///< [rad]
  double antenna_gain = 20.0;             ///< [dBi]
  double frequency = 24.0;                ///< [GHz], > 0
  double transmitted_power = 20.0;        ///< [dBm]
  double min_detectable_signal = -100.0;  ///< [dBm]
  bool occlusion = false;                 ///< whether Solids hide others
};

enum class ConnectorType : std::uint8_t { Symmetric, Active, Passive, Vacuum };

/// A Connector or VacuumGripper: see Connector.
struct ConnectorSpec {
  int solid = -1;
  ConnectorType type = ConnectorType::Symmetric;
  std::string model;           ///< Connectors with equal models fit
  Vec3 axis{1.0, 0.0, 0.0};    ///< main axis, in its own frame
  Vec3 upward{0.0, 0.0, 1.0};  ///< direction from which rotations about the main axis count
  bool locked = false;
  bool auto_lock = false;
  bool unilateral_lock = true;
  bool unilateral_unlock = true;
  double distance_tolerance = 0.01;  ///< [m]
  double axis_tolerance = 0.2;       ///< [rad]
  double rotation_tolerance = 0.2;   ///< [rad]
  int number_of_rotations = 4;       ///< 0 means that any rotation fits
  int contact_points = 3;            ///< least number of contacts of a VacuumGripper with an object
  bool snap = true;
  double tensile_strength = -1.0;  ///< [N]; -1 means that it never breaks
  double shear_strength = -1.0;
};

/// Network is the type of Radio nodes.
enum class RadioType : std::uint8_t { Radio, Serial, InfraRed, Network };

/// The fields that an Emitter and a Receiver have in common.
struct RadioSpec {
  int solid = -1;
  RadioType type = RadioType::Radio;
  Vec3 axis{1.0, 0.0, 0.0};  ///< axis of the cone, in the Solid's frame
  double aperture = -1.0;    ///< full angle of the cone [rad], infra-red only; -1 means all around
  int channel = 0;           ///< -1 means all
  int buffer_size = -1;      ///< [bytes]; -1 means unlimited
};

struct EmitterSpec : RadioSpec {
  double range = -1.0;      ///< [m]; -1 means unlimited
  double max_range = -1.0;  ///< largest range that a controller may set [m]; -1 means unlimited
  int baud_rate = -1;       ///< [bit/s]; -1 means that sending takes no time
  int byte_size = 8;        ///< bits sent for a byte
};

struct ReceiverSpec : RadioSpec {
  double strength_noise = 0.0;   ///< standard deviation, relative
  double direction_noise = 0.0;  ///< noise of each component of a unit vector
};

/// An LED: see Led.
struct LedSpec {
  std::vector<Vec3> colors;  ///< red, green, blue, each in [0, 1]
  bool gradual = false;
  std::vector<int> lights;  ///< lights that it switches, as indices in WorldSettings::lights
  int number = -1;          ///< among the LEDs of the scene
};

/// A Display: see Display.
struct DisplaySpec {
  int width = 64;   ///< [pixels], > 0
  int height = 64;  ///< [pixels], > 0
  int number = -1;  ///< among the Displays of the scene
  /// Folders with fonts, of which the first one that has a font counts.
  std::vector<std::string> font_folders;
  /// What is seen before something is drawn. The Displays of clones share it.
  std::shared_ptr<BlackPicture> undrawn = std::make_shared<BlackPicture>();
};

/// A Pen: see Pen.
struct PenSpec {
  int solid = -1;
  Vec3 axis{0.0, 0.0, -1.0};  ///< direction in which it writes, in the Solid's frame
  Vec3 color;                 ///< red, green, blue, each in [0, 1]
  double density = 0.5;       ///< in [0, 1]
  double lead_size = 0.002;   ///< [m]
  double max_distance = 0.0;  ///< [m]; 0 means no limit
  bool writes = true;
};

/// A field of a device that its controller may ask for. A field of a node in it has a name such as
/// `zoom.minFieldOfView`.
struct DeviceField {
  std::string name;
  std::string text;             ///< value of a string
  std::vector<double> numbers;  ///< values of other types; a vector has three
  bool operator==(const DeviceField&) const = default;
};

/// The drive of a DifferentialWheels node: see DifferentialWheels.
struct DifferentialWheelsSpec {
  int solid = -1;                     ///< the robot's
  std::array<int, 2> joints{-1, -1};  ///< joints of the left and the right wheel; -1 means none
  bool kinematic = false;             ///< the robot has no Physics, and the wheels' speeds move it
  double axle_length = 0.1;           ///< [m], > 0
  double wheel_radius = 0.01;         ///< [m], > 0
  double max_speed = 10.0;            ///< [rad/s]
  double max_acceleration = 10.0;     ///< [rad/s²]; without Physics only
  double speed_unit = 1.0;            ///< [rad/s]
  double slip_noise = 0.1;            ///< noise of the speeds, relative
  double encoder_noise = -1.0;        ///< noise of the encoders' counts; < 0 means no encoders
  double encoder_resolution = -1.0;   ///< pulses per rad; < 0 means no encoders
  double max_force = 0.3;             ///< [N·m]; with Physics only
  double motor_consumption = 0.0;     ///< [W]; while a wheel is driven
  bool has_encoders() const { return encoder_noise >= 0.0 && encoder_resolution >= 0.0; }
};

struct DeviceSpec {
  std::string name;
  std::string model;
  std::string node_type;  ///< name of the node in Webots
  int joint = -1;
  int propeller = -1;  ///< the Propeller that it rotates
  std::optional<MotorSpec> motor;
  std::optional<SensorSpec> sensor;
  std::optional<JointType> brake;
  std::optional<BodySensorSpec> body_sensor;
  std::optional<RangingSpec> ranging;  ///< also of a Camera up to V8.3, which may measure distances
  std::optional<CameraSpec> camera;
  std::optional<RadarSpec> radar;
  std::optional<EmitterSpec> emitter;
  std::optional<ReceiverSpec> receiver;
  std::optional<ConnectorSpec> connector;
  std::optional<LedSpec> led;
  std::optional<DisplaySpec> display;
  std::optional<PenSpec> pen;
  std::optional<DifferentialWheelsSpec> wheels;
  std::vector<DeviceField> fields;  ///< fields of a device without a joint
  std::uint32_t node = 0;           ///< wbt::Node::id
  SourceLocation where;
};

/// A Robot without Physics that moves as its two wheels roll: see find_rolling_robots().
struct RollingSpec {
  int solid = -1;                         ///< the robot's
  std::array<int, 2> joints{-1, -1};      ///< joints of the left and the right wheel
  std::array<double, 2> sense{1.0, 1.0};  ///< -1 if a positive turn of the wheel rolls backwards
  double wheel_radius = 0.0;              ///< [m], > 0
  double axle_length = 0.0;               ///< between the middles of the wheels [m], > 0
  /// In the Solid's frame. The origin is in the middle between the wheels; x is forward, y points
  /// to the left wheel, z is up.
  Pose axle;
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include <webots/nodes.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "controller/client/supervisor_refs.h"

namespace servosim {

namespace {

struct NodeName {
  WbNodeType type;
  const char* name;
};

constexpr NodeName kNames[] = {
    {WB_NODE_APPEARANCE, "Appearance"},
    {WB_NODE_BACKGROUND, "Background"},
    {WB_NODE_BILLBOARD, "Billboard"},
    {WB_NODE_BOX, "Box"},
    {WB_NODE_CAD_SHAPE, "CadShape"},
    {WB_NODE_CAPSULE, "Capsule"},
    {WB_NODE_COLOR, "Color"},
    {WB_NODE_CONE, "Cone"},
    {WB_NODE_COORDINATE, "Coordinate"},
    {WB_NODE_CYLINDER, "Cylinder"},
    {WB_NODE_DIRECTIONAL_LIGHT, "DirectionalLight"},
    {WB_NODE_ELEVATION_GRID, "ElevationGrid"},
    {WB_NODE_FOG, "Fog"},
    {WB_NODE_GROUP, "Group"},
    {WB_NODE_IMAGE_TEXTURE, "ImageTexture"},
    {WB_NODE_INDEXED_FACE_SET, "IndexedFaceSet"},
    {WB_NODE_INDEXED_LINE_SET, "IndexedLineSet"},
    {WB_NODE_MATERIAL, "Material"},
    {WB_NODE_MESH, "Mesh"},
    {WB_NODE_MUSCLE, "Muscle"},
    {WB_NODE_NORMAL, "Normal"},
    {WB_NODE_PBR_APPEARANCE, "PBRAppearance"},
    {WB_NODE_PLANE, "Plane"},
    {WB_NODE_POINT_LIGHT, "PointLight"},
    {WB_NODE_POINT_SET, "PointSet"},
    {WB_NODE_POSE, "Pose"},
    {WB_NODE_SHAPE, "Shape"},
    {WB_NODE_SPHERE, "Sphere"},
    {WB_NODE_SPOT_LIGHT, "SpotLight"},
    {WB_NODE_TEXTURE_COORDINATE, "TextureCoordinate"},
    {WB_NODE_TEXTURE_TRANSFORM, "TextureTransform"},
    {WB_NODE_TRANSFORM, "Transform"},
    {WB_NODE_VIEWPOINT, "Viewpoint"},
    {WB_NODE_ROBOT, "Robot"},
    {WB_NODE_ACCELEROMETER, "Accelerometer"},
    {WB_NODE_ALTIMETER, "Altimeter"},
    {WB_NODE_BRAKE, "Brake"},
    {WB_NODE_CAMERA, "Camera"},
    {WB_NODE_COMPASS, "Compass"},
    {WB_NODE_CONNECTOR, "Connector"},
    {WB_NODE_DISPLAY, "Display"},
    {WB_NODE_DISTANCE_SENSOR, "DistanceSensor"},
    {WB_NODE_EMITTER, "Emitter"},
    {WB_NODE_GPS, "GPS"},
    {WB_NODE_GYRO, "Gyro"},
    {WB_NODE_INERTIAL_UNIT, "InertialUnit"},
    {WB_NODE_LED, "LED"},
    {WB_NODE_LIDAR, "Lidar"},
    {WB_NODE_LIGHT_SENSOR, "LightSensor"},
    {WB_NODE_LINEAR_MOTOR, "LinearMotor"},
    {WB_NODE_PEN, "Pen"},
    {WB_NODE_POSITION_SENSOR, "PositionSensor"},
    {WB_NODE_PROPELLER, "Propeller"},
    {WB_NODE_RADAR, "Radar"},
    {WB_NODE_RANGE_FINDER, "RangeFinder"},
    {WB_NODE_RECEIVER, "Receiver"},
    {WB_NODE_ROTATIONAL_MOTOR, "RotationalMotor"},
    {WB_NODE_SKIN, "Skin"},
    {WB_NODE_SPEAKER, "Speaker"},
    {WB_NODE_TOUCH_SENSOR, "TouchSensor"},
    {WB_NODE_VACUUM_GRIPPER, "VacuumGripper"},
    {WB_NODE_BALL_JOINT, "BallJoint"},
    {WB_NODE_BALL_JOINT_PARAMETERS, "BallJointParameters"},
    {WB_NODE_CHARGER, "Charger"},
    {WB_NODE_CONTACT_PROPERTIES, "ContactProperties"},
    {WB_NODE_DAMPING, "Damping"},
    {WB_NODE_FLUID, "Fluid"},
    {WB_NODE_FOCUS, "Focus"},
    {WB_NODE_HINGE_JOINT, "HingeJoint"},
    {WB_NODE_HINGE_JOINT_PARAMETERS, "HingeJointParameters"},
    {WB_NODE_HINGE_2_JOINT, "Hinge2Joint"},
    {WB_NODE_IMMERSION_PROPERTIES, "ImmersionProperties"},
    {WB_NODE_JOINT_PARAMETERS, "JointParameters"},
    {WB_NODE_LENS, "Lens"},
    {WB_NODE_LENS_FLARE, "LensFlare"},
    {WB_NODE_PHYSICS, "Physics"},
    {WB_NODE_RECOGNITION, "Recognition"},
    {WB_NODE_SLIDER_JOINT, "SliderJoint"},
    {WB_NODE_SLOT, "Slot"},
    {WB_NODE_SOLID, "Solid"},
    {WB_NODE_SOLID_REFERENCE, "SolidReference"},
    {WB_NODE_TRACK, "Track"},
    {WB_NODE_TRACK_WHEEL, "TrackWheel"},
    {WB_NODE_WORLD_INFO, "WorldInfo"},
    {WB_NODE_ZOOM, "Zoom"},
    {WB_NODE_MICROPHONE, "Microphone"},
    {WB_NODE_RADIO, "Radio"},
    {WB_NODE_SUPERVISOR, "Supervisor"},
    {WB_NODE_DIFFERENTIAL_WHEELS, "DifferentialWheels"},
    {WB_NODE_SERVO, "Servo"},
    {WB_NODE_MOTOR, "Motor"},
    {WB_NODE_EXTRUSION, "Extrusion"},
    {WB_NODE_SWITCH, "Switch"},
    {WB_NODE_CAMERA_ZOOM, "CameraZoom"},
};

}  // namespace

WbNodeType node_type_named(std::string_view name) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const NodeName& node) { return name == node.name; });
  return found == std::end(kNames) ? WB_NODE_NO_NODE : found->type;
}

}  // namespace servosim

// It works without a simulation, so it does not connect to one.
const char* wb_node_get_name(WbNodeType t) {
  using servosim::kNames;
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [=](const servosim::NodeName& node) { return t == node.type; });
  return found == std::end(kNames) ? "" : found->name;
}

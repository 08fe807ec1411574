/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_NODES_H
#define WB_NODES_H

#ifdef __cplusplus
extern "C" {
#endif

/* The node types as X(name, number, text): the name without "WB_NODE_", the number in R2025a, and
 * the type in world files. The numbers differ between releases of Webots, so use the names. */
/* clang-format off */
#define WB_NODE_TYPES(X)                                 \
  X(APPEARANCE, 1, "Appearance")                         \
  X(BACKGROUND, 2, "Background")                         \
  X(BILLBOARD, 3, "Billboard")                           \
  X(BOX, 4, "Box")                                       \
  X(CAD_SHAPE, 5, "CadShape")                            \
  X(CAPSULE, 6, "Capsule")                               \
  X(COLOR, 7, "Color")                                   \
  X(CONE, 8, "Cone")                                     \
  X(COORDINATE, 9, "Coordinate")                         \
  X(CYLINDER, 10, "Cylinder")                            \
  X(DIRECTIONAL_LIGHT, 11, "DirectionalLight")           \
  X(ELEVATION_GRID, 12, "ElevationGrid")                 \
  X(FOG, 13, "Fog")                                      \
  X(GROUP, 14, "Group")                                  \
  X(IMAGE_TEXTURE, 15, "ImageTexture")                   \
  X(INDEXED_FACE_SET, 16, "IndexedFaceSet")              \
  X(INDEXED_LINE_SET, 17, "IndexedLineSet")              \
  X(MATERIAL, 18, "Material")                            \
  X(MESH, 19, "Mesh")                                    \
  X(MUSCLE, 20, "Muscle")                                \
  X(NORMAL, 21, "Normal")                                \
  X(PBR_APPEARANCE, 22, "PBRAppearance")                 \
  X(PLANE, 23, "Plane")                                  \
  X(POINT_LIGHT, 24, "PointLight")                       \
  X(POINT_SET, 25, "PointSet")                           \
  X(POSE, 26, "Pose")                                    \
  X(SHAPE, 27, "Shape")                                  \
  X(SPHERE, 28, "Sphere")                                \
  X(SPOT_LIGHT, 29, "SpotLight")                         \
  X(TEXTURE_COORDINATE, 30, "TextureCoordinate")         \
  X(TEXTURE_TRANSFORM, 31, "TextureTransform")           \
  X(TRANSFORM, 32, "Transform")                          \
  X(VIEWPOINT, 33, "Viewpoint")                          \
  X(ROBOT, 34, "Robot")                                  \
  X(ACCELEROMETER, 35, "Accelerometer")                  \
  X(ALTIMETER, 36, "Altimeter")                          \
  X(BRAKE, 37, "Brake")                                  \
  X(CAMERA, 38, "Camera")                                \
  X(COMPASS, 39, "Compass")                              \
  X(CONNECTOR, 40, "Connector")                          \
  X(DISPLAY, 41, "Display")                              \
  X(DISTANCE_SENSOR, 42, "DistanceSensor")               \
  X(EMITTER, 43, "Emitter")                              \
  X(GPS, 44, "GPS")                                      \
  X(GYRO, 45, "Gyro")                                    \
  X(INERTIAL_UNIT, 46, "InertialUnit")                   \
  X(LED, 47, "LED")                                      \
  X(LIDAR, 48, "Lidar")                                  \
  X(LIGHT_SENSOR, 49, "LightSensor")                     \
  X(LINEAR_MOTOR, 50, "LinearMotor")                     \
  X(PEN, 51, "Pen")                                      \
  X(POSITION_SENSOR, 52, "PositionSensor")               \
  X(PROPELLER, 53, "Propeller")                          \
  X(RADAR, 54, "Radar")                                  \
  X(RANGE_FINDER, 55, "RangeFinder")                     \
  X(RECEIVER, 56, "Receiver")                            \
  X(ROTATIONAL_MOTOR, 57, "RotationalMotor")             \
  X(SKIN, 58, "Skin")                                    \
  X(SPEAKER, 59, "Speaker")                              \
  X(TOUCH_SENSOR, 60, "TouchSensor")                     \
  X(VACUUM_GRIPPER, 61, "VacuumGripper")                 \
  X(BALL_JOINT, 62, "BallJoint")                         \
  X(BALL_JOINT_PARAMETERS, 63, "BallJointParameters")    \
  X(CHARGER, 64, "Charger")                              \
  X(CONTACT_PROPERTIES, 65, "ContactProperties")         \
  X(DAMPING, 66, "Damping")                              \
  X(FLUID, 67, "Fluid")                                  \
  X(FOCUS, 68, "Focus")                                  \
  X(HINGE_JOINT, 69, "HingeJoint")                       \
  X(HINGE_JOINT_PARAMETERS, 70, "HingeJointParameters")  \
  X(HINGE_2_JOINT, 71, "Hinge2Joint")                    \
  X(IMMERSION_PROPERTIES, 72, "ImmersionProperties")     \
  X(JOINT_PARAMETERS, 73, "JointParameters")             \
  X(LENS, 74, "Lens")                                    \
  X(LENS_FLARE, 75, "LensFlare")                         \
  X(PHYSICS, 76, "Physics")                              \
  X(RECOGNITION, 77, "Recognition")                      \
  X(SLIDER_JOINT, 78, "SliderJoint")                     \
  X(SLOT, 79, "Slot")                                    \
  X(SOLID, 80, "Solid")                                  \
  X(SOLID_REFERENCE, 81, "SolidReference")               \
  X(TRACK, 82, "Track")                                  \
  X(TRACK_WHEEL, 83, "TrackWheel")                       \
  X(WORLD_INFO, 84, "WorldInfo")                         \
  X(ZOOM, 85, "Zoom")                                    \
  X(MICROPHONE, 86, "Microphone")                        \
  X(RADIO, 87, "Radio")                                  \
  /* Nodes of older releases have numbers of servosim's own. */  \
  X(SUPERVISOR, 1000, "Supervisor")                      \
  X(DIFFERENTIAL_WHEELS, 1001, "DifferentialWheels")     \
  X(SERVO, 1002, "Servo")                                \
  X(MOTOR, 1003, "Motor")                                \
  X(EXTRUSION, 1004, "Extrusion")                        \
  X(SWITCH, 1005, "Switch")                              \
  X(CAMERA_ZOOM, 1006, "CameraZoom")
/* clang-format on */

#define WB_NODE_ENUMERATOR(NAME, number, text) WB_NODE_##NAME = number,
typedef enum { WB_NODE_TYPES(WB_NODE_ENUMERATOR) WB_NODE_NO_NODE = 0 } WbNodeType;
#undef WB_NODE_ENUMERATOR

/* Returns the name of a type, such as "HingeJoint" for WB_NODE_HINGE_JOINT; "" for a number that
 * names no node. The text is valid for ever. The function needs no simulation. */
const char *wb_node_get_name(WbNodeType t);

#ifdef __cplusplus
}
#endif

#endif /* WB_NODES_H */

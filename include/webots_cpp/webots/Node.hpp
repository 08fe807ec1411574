// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_NODE_HPP
#define WEBOTS_NODE_HPP

#include <string>

#include "../../c/webots/contact_point.h"
#include "../../c/webots/types.h"

namespace webots {

class Field;
class Proto;

typedef WbContactPoint ContactPoint;

class Node {
 public:
  // The numbers of WbNodeType.
  typedef enum {
    NO_NODE = 0,
    APPEARANCE = 1,
    BACKGROUND = 2,
    BILLBOARD = 3,
    BOX = 4,
    CAD_SHAPE = 5,
    CAPSULE = 6,
    COLOR = 7,
    CONE = 8,
    COORDINATE = 9,
    CYLINDER = 10,
    DIRECTIONAL_LIGHT = 11,
    ELEVATION_GRID = 12,
    FOG = 13,
    GROUP = 14,
    IMAGE_TEXTURE = 15,
    INDEXED_FACE_SET = 16,
    INDEXED_LINE_SET = 17,
    MATERIAL = 18,
    MESH = 19,
    MUSCLE = 20,
    NORMAL = 21,
    PBR_APPEARANCE = 22,
    PLANE = 23,
    POINT_LIGHT = 24,
    POINT_SET = 25,
    POSE = 26,
    SHAPE = 27,
    SPHERE = 28,
    SPOT_LIGHT = 29,
    TEXTURE_COORDINATE = 30,
    TEXTURE_TRANSFORM = 31,
    TRANSFORM = 32,
    VIEWPOINT = 33,
    ROBOT = 34,
    ACCELEROMETER = 35,
    ALTIMETER = 36,
    BRAKE = 37,
    CAMERA = 38,
    COMPASS = 39,
    CONNECTOR = 40,
    DISPLAY = 41,
    DISTANCE_SENSOR = 42,
    EMITTER = 43,
    GPS = 44,
    GYRO = 45,
    INERTIAL_UNIT = 46,
    LED = 47,
    LIDAR = 48,
    LIGHT_SENSOR = 49,
    LINEAR_MOTOR = 50,
    PEN = 51,
    POSITION_SENSOR = 52,
    PROPELLER = 53,
    RADAR = 54,
    RANGE_FINDER = 55,
    RECEIVER = 56,
    ROTATIONAL_MOTOR = 57,
    SKIN = 58,
    SPEAKER = 59,
    TOUCH_SENSOR = 60,
    VACUUM_GRIPPER = 61,
    BALL_JOINT = 62,
    BALL_JOINT_PARAMETERS = 63,
    CHARGER = 64,
    CONTACT_PROPERTIES = 65,
    DAMPING = 66,
    FLUID = 67,
    FOCUS = 68,
    HINGE_JOINT = 69,
    HINGE_JOINT_PARAMETERS = 70,
    HINGE_2_JOINT = 71,
    IMMERSION_PROPERTIES = 72,
    JOINT_PARAMETERS = 73,
    LENS = 74,
    LENS_FLARE = 75,
    PHYSICS = 76,
    RECOGNITION = 77,
    SLIDER_JOINT = 78,
    SLOT = 79,
    SOLID = 80,
    SOLID_REFERENCE = 81,
    TRACK = 82,
    TRACK_WHEEL = 83,
    WORLD_INFO = 84,
    ZOOM = 85,
    MICROPHONE = 86,
    RADIO = 87,
    SUPERVISOR = 1000,
    DIFFERENTIAL_WHEELS = 1001,
    SERVO = 1002,
    MOTOR = 1003,
    EXTRUSION = 1004,
    SWITCH = 1005,
    CAMERA_ZOOM = 1006
  } Type;

  virtual ~Node() = default;

  int getId() const;
  Type getType() const;
  std::string getTypeName() const;
  std::string getBaseTypeName() const;
  std::string getDef() const;
  bool isProto() const;
  Proto *getProto() const;
  Node *getParentNode() const;
  Node *getFromProtoDef(const std::string &def) const;
  Field *getField(const std::string &fieldName) const;
  Field *getFieldByIndex(int index) const;
  int getNumberOfFields() const;
  Field *getBaseNodeField(const std::string &fieldName) const;
  Field *getBaseNodeFieldByIndex(int index) const;
  int getNumberOfBaseNodeFields() const;
  const double *getPosition() const;
  const double *getOrientation() const;
  const double *getCenterOfMass() const;
  bool getStaticBalance() const;
  const double *getVelocity() const;
  virtual void setVelocity(const double velocity[6]);
  virtual void resetPhysics();
  virtual void restartController();
  virtual void moveViewpoint();
  virtual void setVisibility(const Node *from, bool visible);
  virtual void addForce(const double force[3], bool relative);
  virtual void addForceWithOffset(const double force[3], const double offset[3], bool relative);
  virtual void addTorque(const double torque[3], bool relative);
  virtual void remove();
  virtual void setJointPosition(double position, int index = 1);
  virtual void saveState(const std::string &stateName);
  virtual void loadState(const std::string &stateName);
  virtual std::string exportString();
  virtual void disableContactPointsTracking();
  virtual void enableContactPointsTracking(int samplingPeriod, bool includeDescendants = false);
  int getNumberOfContactPoints(bool includeDescendants = false) const;
  const double *getContactPoint(int index) const;
  Node *getContactPointNode(int index) const;

  // Spellings of older releases.
  Field *getProtoField(const std::string &fieldName) const;
  Field *getProtoFieldByIndex(int index) const;
  int getProtoNumberOfFields() const;

  // In the frame of the parent node at the top, or of another node: 16 numbers, row by row.
  const double *getPose() const;
  const double *getPose(const Node *fromNode) const;
  void enablePoseTracking(int samplingPeriod, const Node *fromNode = nullptr);
  void disablePoseTracking(const Node *fromNode = nullptr);
  // `size` becomes their number. Valid until the next step.
  ContactPoint *getContactPoints(bool includeDescendants, int *size) const;

  // The object of a node of the C API; always the same one. Null for null.
  static Node *findNode(WbNodeRef ref);
  WbNodeRef ref() const { return ref_; }

 private:
  explicit Node(WbNodeRef ref) : ref_(ref) {}

  WbNodeRef ref_;
};

}  // namespace webots

#endif

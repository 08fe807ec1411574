// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_NODE_HPP
#define WEBOTS_NODE_HPP

#include <string>

#include "../../c/webots/contact_point.h"
#include "../../c/webots/nodes.h"
#include "../../c/webots/types.h"

namespace webots {

class Field;
class Proto;

typedef WbContactPoint ContactPoint;

// A node of the world, which a Supervisor reads and changes; webots/supervisor.h has the rules.
// Objects exist until the program ends; calls for a node that was removed are errors. A returned
// pointer to numbers is valid until the next call of the same function for the same node.
class Node {
 public:
  // The numbers of WbNodeType: ACCELEROMETER is WB_NODE_ACCELEROMETER.
#define WEBOTS_NODE_ENUMERATOR(NAME, number, text) NAME = number,
  typedef enum { WB_NODE_TYPES(WEBOTS_NODE_ENUMERATOR) NO_NODE = 0 } Type;
#undef WEBOTS_NODE_ENUMERATOR

  virtual ~Node() = default;

  // The number of the node, which stays the same and belongs to no other node.
  int getId() const;
  // The type of the node, a constant such as Node::SOLID.
  Type getType() const;
  // The name of the PROTO of the node, else of its type.
  std::string getTypeName() const;
  // The name of the type; for a PROTO instance that of the node it consists of.
  std::string getBaseTypeName() const;
  // The DEF name of the node; "" without one.
  std::string getDef() const;
  // Whether the node is a PROTO instance.
  bool isProto() const;
  // The PROTO that the node is an instance of; null for other nodes.
  Proto *getProto() const;
  // The node that holds this one; null for the root.
  Node *getParentNode() const;
  // The node with that DEF name inside of a PROTO instance; null without one.
  Node *getFromProtoDef(const std::string &def) const;
  // The field of that name; null if there is none.
  Field *getField(const std::string &fieldName) const;
  // The field of that number, from 0; null if there is none.
  Field *getFieldByIndex(int index) const;
  // The number of fields of the node, or of its PROTO.
  int getNumberOfFields() const;
  // The field of that name of the node that a PROTO consists of; it can only be read.
  Field *getBaseNodeField(const std::string &fieldName) const;
  // The field of that number, from 0, of the node that a PROTO consists of.
  Field *getBaseNodeFieldByIndex(int index) const;
  // The number of fields of the node that a PROTO consists of.
  int getNumberOfBaseNodeFields() const;
  // x, y, z in the world [m]; three NaN for a node without a place.
  const double *getPosition() const;
  // The rotation in the world: 3×3 numbers, row by row.
  const double *getOrientation() const;
  // The center of mass in the world [m].
  const double *getCenterOfMass() const;
  // Whether the center of mass is above the support polygon of a Solid on the top level.
  bool getStaticBalance() const;
  // Linear [m/s], then angular velocity [rad/s], in the axes of the world.
  const double *getVelocity() const;
  // Sets linear [m/s] and angular velocity [rad/s], in the axes of the world.
  virtual void setVelocity(const double velocity[6]);
  // Stops a Solid and everything below it.
  virtual void resetPhysics();
  // Ends the controller of a robot and starts it again.
  virtual void restartController();
  // Does nothing: there is no view.
  virtual void moveViewpoint();
  // Shows or hides the node for one Camera, RangeFinder or Lidar, from its next picture on.
  virtual void setVisibility(const Node *from, bool visible);
  // Adds a force [N] to the center of mass for one step; `relative`: in the node's axes.
  virtual void addForce(const double force[3], bool relative);
  // Adds a force [N] at `offset` in the axes of the node [m] for one step.
  virtual void addForceWithOffset(const double force[3], const double offset[3], bool relative);
  // Adds a torque [N·m] for one step; `relative`: in the node's axes.
  virtual void addTorque(const double torque[3], bool relative);
  // Removes the node from the world.
  virtual void remove();
  // Puts a joint at `position` [rad|m]; `index` counts its axes from 1.
  virtual void setJointPosition(double position, int index = 1);
  // Saves places, joint positions and velocities below the node under a name.
  virtual void saveState(const std::string &stateName);
  // Restores what saveState() saved; "__init__" is the state at the start.
  virtual void loadState(const std::string &stateName);
  // The node as it would be written in a world file.
  virtual std::string exportString();
  // Ends what enableContactPointsTracking() began.
  virtual void disableContactPointsTracking();
  // Sends contact points along with steps, each `samplingPeriod` ms, 1 or more.
  virtual void enableContactPointsTracking(int samplingPeriod, bool includeDescendants = false);
  // The number of contact points of the last step.
  int getNumberOfContactPoints(bool includeDescendants = false) const;
  // The place of a contact point in the world [m], by its number from 0.
  const double *getContactPoint(int index) const;
  // The node that a contact point belongs to, by its number from 0.
  Node *getContactPointNode(int index) const;

  // Older releases have the names below.
  Field *getProtoField(const std::string &fieldName) const;
  // The field of that number of the PROTO, from 0.
  Field *getProtoFieldByIndex(int index) const;
  // The number of fields of the PROTO.
  int getProtoNumberOfFields() const;

  // 4×4 numbers [m], row by row, in the frame of the world.
  const double *getPose() const;
  // The same in the frame of another node; null: of the world.
  const double *getPose(const Node *fromNode) const;
  // Sends the pose along with steps, each `samplingPeriod` ms, 1 or more.
  void enablePoseTracking(int samplingPeriod, const Node *fromNode = nullptr);
  // Ends what enablePoseTracking() began.
  void disablePoseTracking(const Node *fromNode = nullptr);
  // The points where a Solid touches others, perhaps with those of all Solids below it; `size` is
  // set to their number. Null if there are none. Valid until the next call.
  ContactPoint *getContactPoints(bool includeDescendants, int *size) const;

  // The object for a node of the C API, which is always the same one. Null for null.
  static Node *findNode(WbNodeRef ref);
  // The reference of the C API, for its functions.
  WbNodeRef ref() const { return ref_; }

 private:
  explicit Node(WbNodeRef ref) : ref_(ref) {}

  WbNodeRef ref_;
};

}  // namespace webots

#endif

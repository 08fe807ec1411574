// SPDX-License-Identifier: Apache-2.0
#include <webots/supervisor.h>

#include <webots/Field.hpp>
#include <webots/Node.hpp>
#include <webots/Proto.hpp>

#include "controller/cpp/object_of.h"
#include "controller/cpp/to_string.h"

namespace webots {

// ---- Proto

std::string Proto::getTypeName() const {
  return to_string(wb_supervisor_proto_get_type_name(ref_));
}

bool Proto::isDerived() const { return wb_supervisor_proto_is_derived(ref_); }

Proto *Proto::getParent() const { return Proto::findProto(wb_supervisor_proto_get_parent(ref_)); }

Field *Proto::getField(const std::string &fieldName) const {
  return Field::findField(wb_supervisor_proto_get_field(ref_, fieldName.c_str()));
}

Field *Proto::getFieldByIndex(int index) const {
  return Field::findField(wb_supervisor_proto_get_field_by_index(ref_, index));
}

int Proto::getNumberOfFields() const { return wb_supervisor_proto_get_number_of_fields(ref_); }

Proto *Proto::findProto(WbProtoRef ref) {
  return object_of<Proto>(ref, [](WbProtoRef made_of) { return new Proto(made_of); });
}

// ---- Node

int Node::getId() const { return wb_supervisor_node_get_id(ref_); }

Node::Type Node::getType() const { return static_cast<Type>(wb_supervisor_node_get_type(ref_)); }

std::string Node::getTypeName() const { return to_string(wb_supervisor_node_get_type_name(ref_)); }

std::string Node::getBaseTypeName() const {
  return to_string(wb_supervisor_node_get_base_type_name(ref_));
}

std::string Node::getDef() const { return to_string(wb_supervisor_node_get_def(ref_)); }

bool Node::isProto() const { return wb_supervisor_node_is_proto(ref_); }

Proto *Node::getProto() const { return Proto::findProto(wb_supervisor_node_get_proto(ref_)); }

Node *Node::getParentNode() const {
  return Node::findNode(wb_supervisor_node_get_parent_node(ref_));
}

Node *Node::getFromProtoDef(const std::string &def) const {
  return Node::findNode(wb_supervisor_node_get_from_proto_def(ref_, def.c_str()));
}

Field *Node::getField(const std::string &fieldName) const {
  return Field::findField(wb_supervisor_node_get_field(ref_, fieldName.c_str()));
}

Field *Node::getFieldByIndex(int index) const {
  return Field::findField(wb_supervisor_node_get_field_by_index(ref_, index));
}

int Node::getNumberOfFields() const { return wb_supervisor_node_get_number_of_fields(ref_); }

Field *Node::getBaseNodeField(const std::string &fieldName) const {
  return Field::findField(wb_supervisor_node_get_base_node_field(ref_, fieldName.c_str()));
}

Field *Node::getBaseNodeFieldByIndex(int index) const {
  return Field::findField(wb_supervisor_node_get_base_node_field_by_index(ref_, index));
}

int Node::getNumberOfBaseNodeFields() const {
  return wb_supervisor_node_get_number_of_base_node_fields(ref_);
}

const double *Node::getPosition() const { return wb_supervisor_node_get_position(ref_); }

const double *Node::getOrientation() const { return wb_supervisor_node_get_orientation(ref_); }

const double *Node::getCenterOfMass() const { return wb_supervisor_node_get_center_of_mass(ref_); }

bool Node::getStaticBalance() const { return wb_supervisor_node_get_static_balance(ref_); }

const double *Node::getVelocity() const { return wb_supervisor_node_get_velocity(ref_); }

void Node::setVelocity(const double velocity[6]) {
  wb_supervisor_node_set_velocity(ref_, velocity);
}

void Node::resetPhysics() { wb_supervisor_node_reset_physics(ref_); }

void Node::restartController() { wb_supervisor_node_restart_controller(ref_); }

void Node::moveViewpoint() { wb_supervisor_node_move_viewpoint(ref_); }

void Node::setVisibility(const Node *from, bool visible) {
  wb_supervisor_node_set_visibility(ref_, from != nullptr ? from->ref() : nullptr, visible);
}

void Node::addForce(const double force[3], bool relative) {
  wb_supervisor_node_add_force(ref_, force, relative);
}

void Node::addForceWithOffset(const double force[3], const double offset[3], bool relative) {
  wb_supervisor_node_add_force_with_offset(ref_, force, offset, relative);
}

void Node::addTorque(const double torque[3], bool relative) {
  wb_supervisor_node_add_torque(ref_, torque, relative);
}

void Node::remove() { wb_supervisor_node_remove(ref_); }

void Node::setJointPosition(double position, int index) {
  wb_supervisor_node_set_joint_position(ref_, position, index);
}

void Node::saveState(const std::string &stateName) {
  wb_supervisor_node_save_state(ref_, stateName.c_str());
}

void Node::loadState(const std::string &stateName) {
  wb_supervisor_node_load_state(ref_, stateName.c_str());
}

std::string Node::exportString() { return to_string(wb_supervisor_node_export_string(ref_)); }

void Node::disableContactPointsTracking() {
  wb_supervisor_node_disable_contact_points_tracking(ref_);
}

void Node::enableContactPointsTracking(int samplingPeriod, bool includeDescendants) {
  wb_supervisor_node_enable_contact_points_tracking(ref_, samplingPeriod, includeDescendants);
}

int Node::getNumberOfContactPoints(bool includeDescendants) const {
  return wb_supervisor_node_get_number_of_contact_points(ref_, includeDescendants);
}

const double *Node::getContactPoint(int index) const {
  return wb_supervisor_node_get_contact_point(ref_, index);
}

Node *Node::getContactPointNode(int index) const {
  return Node::findNode(wb_supervisor_node_get_contact_point_node(ref_, index));
}

Field *Node::getProtoField(const std::string &fieldName) const {
  return Field::findField(wb_supervisor_node_get_proto_field(ref_, fieldName.c_str()));
}

Field *Node::getProtoFieldByIndex(int index) const {
  return Field::findField(wb_supervisor_node_get_proto_field_by_index(ref_, index));
}

int Node::getProtoNumberOfFields() const {
  return wb_supervisor_node_get_proto_number_of_fields(ref_);
}

const double *Node::getPose() const { return wb_supervisor_node_get_pose(ref_, nullptr); }

const double *Node::getPose(const Node *fromNode) const {
  return wb_supervisor_node_get_pose(ref_, fromNode != nullptr ? fromNode->ref() : nullptr);
}

void Node::enablePoseTracking(int samplingPeriod, const Node *fromNode) {
  wb_supervisor_node_enable_pose_tracking(ref_, samplingPeriod,
                                          fromNode != nullptr ? fromNode->ref() : nullptr);
}

void Node::disablePoseTracking(const Node *fromNode) {
  wb_supervisor_node_disable_pose_tracking(ref_, fromNode != nullptr ? fromNode->ref() : nullptr);
}

ContactPoint *Node::getContactPoints(bool includeDescendants, int *size) const {
  return wb_supervisor_node_get_contact_points(ref_, includeDescendants, size);
}

Node *Node::findNode(WbNodeRef ref) {
  return object_of<Node>(ref, [](WbNodeRef made_of) { return new Node(made_of); });
}

}  // namespace webots

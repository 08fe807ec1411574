// SPDX-License-Identifier: Apache-2.0
#include <webots/supervisor.h>

#include <webots/Device.hpp>
#include <webots/Field.hpp>
#include <webots/Node.hpp>
#include <webots/Proto.hpp>
#include <webots/Supervisor.hpp>

#include "controller_api/cpp/from_c.h"

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

// ---- Field

std::string Field::getName() const { return to_string(wb_supervisor_field_get_name(ref_)); }

Field::Type Field::getType() const { return static_cast<Type>(wb_supervisor_field_get_type(ref_)); }

std::string Field::getTypeName() const {
  return to_string(wb_supervisor_field_get_type_name(ref_));
}

int Field::getCount() const { return wb_supervisor_field_get_count(ref_); }

Field *Field::getActualField() const {
  return Field::findField(wb_supervisor_field_get_actual_field(ref_));
}

void Field::enableSFTracking(int samplingPeriod) {
  wb_supervisor_field_enable_sf_tracking(ref_, samplingPeriod);
}

void Field::disableSFTracking() { wb_supervisor_field_disable_sf_tracking(ref_); }

bool Field::getSFBool() const { return wb_supervisor_field_get_sf_bool(ref_); }

int Field::getSFInt32() const { return wb_supervisor_field_get_sf_int32(ref_); }

double Field::getSFFloat() const { return wb_supervisor_field_get_sf_float(ref_); }

const double *Field::getSFVec2f() const { return wb_supervisor_field_get_sf_vec2f(ref_); }

const double *Field::getSFVec3f() const { return wb_supervisor_field_get_sf_vec3f(ref_); }

const double *Field::getSFRotation() const { return wb_supervisor_field_get_sf_rotation(ref_); }

const double *Field::getSFColor() const { return wb_supervisor_field_get_sf_color(ref_); }

std::string Field::getSFString() const {
  return to_string(wb_supervisor_field_get_sf_string(ref_));
}

Node *Field::getSFNode() const { return Node::findNode(wb_supervisor_field_get_sf_node(ref_)); }

bool Field::getMFBool(int index) const { return wb_supervisor_field_get_mf_bool(ref_, index); }

int Field::getMFInt32(int index) const { return wb_supervisor_field_get_mf_int32(ref_, index); }

double Field::getMFFloat(int index) const { return wb_supervisor_field_get_mf_float(ref_, index); }

const double *Field::getMFVec2f(int index) const {
  return wb_supervisor_field_get_mf_vec2f(ref_, index);
}

const double *Field::getMFVec3f(int index) const {
  return wb_supervisor_field_get_mf_vec3f(ref_, index);
}

const double *Field::getMFRotation(int index) const {
  return wb_supervisor_field_get_mf_rotation(ref_, index);
}

const double *Field::getMFColor(int index) const {
  return wb_supervisor_field_get_mf_color(ref_, index);
}

std::string Field::getMFString(int index) const {
  return to_string(wb_supervisor_field_get_mf_string(ref_, index));
}

Node *Field::getMFNode(int index) const {
  return Node::findNode(wb_supervisor_field_get_mf_node(ref_, index));
}

void Field::setSFBool(bool value) { wb_supervisor_field_set_sf_bool(ref_, value); }

void Field::setSFInt32(int value) { wb_supervisor_field_set_sf_int32(ref_, value); }

void Field::setSFFloat(double value) { wb_supervisor_field_set_sf_float(ref_, value); }

void Field::setSFVec2f(const double values[2]) { wb_supervisor_field_set_sf_vec2f(ref_, values); }

void Field::setSFVec3f(const double values[3]) { wb_supervisor_field_set_sf_vec3f(ref_, values); }

void Field::setSFRotation(const double values[4]) {
  wb_supervisor_field_set_sf_rotation(ref_, values);
}

void Field::setSFColor(const double values[3]) { wb_supervisor_field_set_sf_color(ref_, values); }

void Field::setSFString(const std::string &value) {
  wb_supervisor_field_set_sf_string(ref_, value.c_str());
}

void Field::setMFBool(int index, bool value) {
  wb_supervisor_field_set_mf_bool(ref_, index, value);
}

void Field::setMFInt32(int index, int value) {
  wb_supervisor_field_set_mf_int32(ref_, index, value);
}

void Field::setMFFloat(int index, double value) {
  wb_supervisor_field_set_mf_float(ref_, index, value);
}

void Field::setMFVec2f(int index, const double values[2]) {
  wb_supervisor_field_set_mf_vec2f(ref_, index, values);
}

void Field::setMFVec3f(int index, const double values[3]) {
  wb_supervisor_field_set_mf_vec3f(ref_, index, values);
}

void Field::setMFRotation(int index, const double values[4]) {
  wb_supervisor_field_set_mf_rotation(ref_, index, values);
}

void Field::setMFColor(int index, const double values[3]) {
  wb_supervisor_field_set_mf_color(ref_, index, values);
}

void Field::setMFString(int index, const std::string &value) {
  wb_supervisor_field_set_mf_string(ref_, index, value.c_str());
}

void Field::insertMFBool(int index, bool value) {
  wb_supervisor_field_insert_mf_bool(ref_, index, value);
}

void Field::insertMFInt32(int index, int value) {
  wb_supervisor_field_insert_mf_int32(ref_, index, value);
}

void Field::insertMFFloat(int index, double value) {
  wb_supervisor_field_insert_mf_float(ref_, index, value);
}

void Field::insertMFVec2f(int index, const double values[2]) {
  wb_supervisor_field_insert_mf_vec2f(ref_, index, values);
}

void Field::insertMFVec3f(int index, const double values[3]) {
  wb_supervisor_field_insert_mf_vec3f(ref_, index, values);
}

void Field::insertMFRotation(int index, const double values[4]) {
  wb_supervisor_field_insert_mf_rotation(ref_, index, values);
}

void Field::insertMFColor(int index, const double values[3]) {
  wb_supervisor_field_insert_mf_color(ref_, index, values);
}

void Field::insertMFString(int index, const std::string &value) {
  wb_supervisor_field_insert_mf_string(ref_, index, value.c_str());
}

void Field::removeMF(int index) { wb_supervisor_field_remove_mf(ref_, index); }

void Field::removeSF() { wb_supervisor_field_remove_sf(ref_); }

void Field::importMFNodeFromString(int position, const std::string &nodeString) {
  wb_supervisor_field_import_mf_node_from_string(ref_, position, nodeString.c_str());
}

void Field::importSFNodeFromString(const std::string &nodeString) {
  wb_supervisor_field_import_sf_node_from_string(ref_, nodeString.c_str());
}

void Field::importMFNode(int position, const std::string &filename) {
  wb_supervisor_field_import_mf_node(ref_, position, filename.c_str());
}

void Field::importSFNode(const std::string &filename) {
  wb_supervisor_field_import_sf_node(ref_, filename.c_str());
}

void Field::removeMFNode(int position) { wb_supervisor_field_remove_mf_node(ref_, position); }

Field *Field::findField(WbFieldRef ref) {
  return object_of<Field>(ref, [](WbFieldRef made_of) { return new Field(made_of); });
}

// ---- Supervisor

Supervisor *Supervisor::getSupervisorInstance() {
  return dynamic_cast<Supervisor *>(Robot::getInstance());
}

void Supervisor::simulationSetMode(SimulationMode mode) {
  wb_supervisor_simulation_set_mode(static_cast<WbSimulationMode>(mode));
}

Supervisor::SimulationMode Supervisor::simulationGetMode() const {
  return static_cast<SimulationMode>(wb_supervisor_simulation_get_mode());
}

void Supervisor::simulationReset() { wb_supervisor_simulation_reset(); }

void Supervisor::simulationResetPhysics() { wb_supervisor_simulation_reset_physics(); }

void Supervisor::simulationQuit(int status) { wb_supervisor_simulation_quit(status); }

void Supervisor::worldLoad(const std::string &file) { wb_supervisor_world_load(file.c_str()); }

void Supervisor::worldReload() { wb_supervisor_world_reload(); }

bool Supervisor::worldSave() { return wb_supervisor_world_save(nullptr); }

bool Supervisor::worldSave(const std::string &file) {
  return wb_supervisor_world_save(file.c_str());
}

void Supervisor::exportImage(const std::string &file, int quality) const {
  wb_supervisor_export_image(file.c_str(), quality);
}

bool Supervisor::animationStartRecording(const std::string &file) {
  return wb_supervisor_animation_start_recording(file.c_str());
}

bool Supervisor::animationStopRecording() { return wb_supervisor_animation_stop_recording(); }

void Supervisor::movieStartRecording(const std::string &file, int width, int height, int codec,
                                     int quality, int acceleration, bool caption) const {
  wb_supervisor_movie_start_recording(file.c_str(), width, height, codec, quality, acceleration,
                                      caption);
}

void Supervisor::movieStopRecording() { wb_supervisor_movie_stop_recording(); }

bool Supervisor::movieIsReady() const { return wb_supervisor_movie_is_ready(); }

bool Supervisor::movieFailed() const { return wb_supervisor_movie_failed(); }

int Supervisor::movieGetStatus() const { return wb_supervisor_movie_get_status(); }

void Supervisor::setLabel(int id, const std::string &label, double xpos, double ypos, double size,
                          int color, double transparency, const std::string &font) {
  wb_supervisor_set_label(id, label.c_str(), xpos, ypos, size, color, transparency, font.c_str());
}

Node *Supervisor::getRoot() const { return Node::findNode(wb_supervisor_node_get_root()); }

Node *Supervisor::getSelf() const { return Node::findNode(wb_supervisor_node_get_self()); }

Node *Supervisor::getSelected() const { return Node::findNode(wb_supervisor_node_get_selected()); }

Node *Supervisor::getFromDef(const std::string &def) const {
  return Node::findNode(wb_supervisor_node_get_from_def(def.c_str()));
}

Node *Supervisor::getFromId(int id) const {
  return Node::findNode(wb_supervisor_node_get_from_id(id));
}

Node *Supervisor::getFromDevice(const Device *device) const {
  return device != nullptr ? getFromDeviceTag(device->getTag()) : nullptr;
}

Node *Supervisor::getFromDeviceTag(int tag) const {
  return Node::findNode(wb_supervisor_node_get_from_device(static_cast<WbDeviceTag>(tag)));
}

bool Supervisor::virtualRealityHeadsetIsUsed() const {
  return wb_supervisor_virtual_reality_headset_is_used();
}

const double *Supervisor::virtualRealityHeadsetGetPosition() const {
  return wb_supervisor_virtual_reality_headset_get_position();
}

const double *Supervisor::virtualRealityHeadsetGetOrientation() const {
  return wb_supervisor_virtual_reality_headset_get_orientation();
}

}  // namespace webots

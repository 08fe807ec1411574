// SPDX-License-Identifier: Apache-2.0
#include <webots/supervisor.h>

#include <webots/Field.hpp>
#include <webots/Node.hpp>

#include "controller/cpp/object_of.h"
#include "controller/cpp/to_string.h"

namespace webots {

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

}  // namespace webots

// SPDX-License-Identifier: Apache-2.0
#include <webots/accelerometer.h>
#include <webots/altimeter.h>
#include <webots/compass.h>
#include <webots/distance_sensor.h>
#include <webots/gps.h>
#include <webots/gyro.h>
#include <webots/inertial_unit.h>
#include <webots/light_sensor.h>
#include <webots/touch_sensor.h>

#include <cstdlib>
#include <memory>
#include <webots/Accelerometer.hpp>
#include <webots/Altimeter.hpp>
#include <webots/Compass.hpp>
#include <webots/DistanceSensor.hpp>
#include <webots/GPS.hpp>
#include <webots/Gyro.hpp>
#include <webots/InertialUnit.hpp>
#include <webots/LightSensor.hpp>
#include <webots/TouchSensor.hpp>

#include "controller_api/cpp/from_c.h"

namespace webots {

// ---- Accelerometer

void Accelerometer::enable(int samplingPeriod) {
  wb_accelerometer_enable(getTag(), samplingPeriod);
}

void Accelerometer::disable() { wb_accelerometer_disable(getTag()); }

int Accelerometer::getSamplingPeriod() const {
  return wb_accelerometer_get_sampling_period(getTag());
}

const double *Accelerometer::getValues() const { return wb_accelerometer_get_values(getTag()); }

int Accelerometer::getLookupTableSize() const {
  return wb_accelerometer_get_lookup_table_size(getTag());
}

const double *Accelerometer::getLookupTable() const {
  return wb_accelerometer_get_lookup_table(getTag());
}

// ---- Altimeter

void Altimeter::enable(int samplingPeriod) { wb_altimeter_enable(getTag(), samplingPeriod); }

void Altimeter::disable() { wb_altimeter_disable(getTag()); }

int Altimeter::getSamplingPeriod() const { return wb_altimeter_get_sampling_period(getTag()); }

double Altimeter::getValue() const { return wb_altimeter_get_value(getTag()); }

// ---- Compass

void Compass::enable(int samplingPeriod) { wb_compass_enable(getTag(), samplingPeriod); }

void Compass::disable() { wb_compass_disable(getTag()); }

int Compass::getSamplingPeriod() const { return wb_compass_get_sampling_period(getTag()); }

const double *Compass::getValues() const { return wb_compass_get_values(getTag()); }

int Compass::getLookupTableSize() const { return wb_compass_get_lookup_table_size(getTag()); }

const double *Compass::getLookupTable() const { return wb_compass_get_lookup_table(getTag()); }

// ---- GPS

void GPS::enable(int samplingPeriod) { wb_gps_enable(getTag(), samplingPeriod); }

void GPS::disable() { wb_gps_disable(getTag()); }

int GPS::getSamplingPeriod() const { return wb_gps_get_sampling_period(getTag()); }

const double *GPS::getValues() const { return wb_gps_get_values(getTag()); }

double GPS::getSpeed() const { return wb_gps_get_speed(getTag()); }

const double *GPS::getSpeedVector() const { return wb_gps_get_speed_vector(getTag()); }

GPS::CoordinateSystem GPS::getCoordinateSystem() const {
  return static_cast<CoordinateSystem>(wb_gps_get_coordinate_system(getTag()));
}

std::string GPS::convertToDegreesMinutesSeconds(double decimalDegrees) {
  const std::unique_ptr<char, decltype(&std::free)> text(
      const_cast<char *>(wb_gps_convert_to_degrees_minutes_seconds(decimalDegrees)), std::free);
  return to_string(text.get());
}

// ---- Gyro

void Gyro::enable(int samplingPeriod) { wb_gyro_enable(getTag(), samplingPeriod); }

void Gyro::disable() { wb_gyro_disable(getTag()); }

int Gyro::getSamplingPeriod() const { return wb_gyro_get_sampling_period(getTag()); }

const double *Gyro::getValues() const { return wb_gyro_get_values(getTag()); }

int Gyro::getLookupTableSize() const { return wb_gyro_get_lookup_table_size(getTag()); }

const double *Gyro::getLookupTable() const { return wb_gyro_get_lookup_table(getTag()); }

// ---- InertialUnit

void InertialUnit::enable(int samplingPeriod) { wb_inertial_unit_enable(getTag(), samplingPeriod); }

void InertialUnit::disable() { wb_inertial_unit_disable(getTag()); }

int InertialUnit::getSamplingPeriod() const {
  return wb_inertial_unit_get_sampling_period(getTag());
}

const double *InertialUnit::getRollPitchYaw() const {
  return wb_inertial_unit_get_roll_pitch_yaw(getTag());
}

const double *InertialUnit::getQuaternion() const {
  return wb_inertial_unit_get_quaternion(getTag());
}

double InertialUnit::getNoise() const { return wb_inertial_unit_get_noise(getTag()); }

// ---- DistanceSensor

void DistanceSensor::enable(int samplingPeriod) {
  wb_distance_sensor_enable(getTag(), samplingPeriod);
}

void DistanceSensor::disable() { wb_distance_sensor_disable(getTag()); }

int DistanceSensor::getSamplingPeriod() const {
  return wb_distance_sensor_get_sampling_period(getTag());
}

double DistanceSensor::getValue() const { return wb_distance_sensor_get_value(getTag()); }

double DistanceSensor::getMaxValue() const { return wb_distance_sensor_get_max_value(getTag()); }

double DistanceSensor::getMinValue() const { return wb_distance_sensor_get_min_value(getTag()); }

double DistanceSensor::getAperture() const { return wb_distance_sensor_get_aperture(getTag()); }

int DistanceSensor::getLookupTableSize() const {
  return wb_distance_sensor_get_lookup_table_size(getTag());
}

const double *DistanceSensor::getLookupTable() const {
  return wb_distance_sensor_get_lookup_table(getTag());
}

DistanceSensor::Type DistanceSensor::getType() const {
  return static_cast<Type>(wb_distance_sensor_get_type(getTag()));
}

// ---- LightSensor

void LightSensor::enable(int samplingPeriod) { wb_light_sensor_enable(getTag(), samplingPeriod); }

void LightSensor::disable() { wb_light_sensor_disable(getTag()); }

int LightSensor::getSamplingPeriod() const { return wb_light_sensor_get_sampling_period(getTag()); }

double LightSensor::getValue() const { return wb_light_sensor_get_value(getTag()); }

int LightSensor::getLookupTableSize() const {
  return wb_light_sensor_get_lookup_table_size(getTag());
}

const double *LightSensor::getLookupTable() const {
  return wb_light_sensor_get_lookup_table(getTag());
}

// ---- TouchSensor

void TouchSensor::enable(int samplingPeriod) { wb_touch_sensor_enable(getTag(), samplingPeriod); }

void TouchSensor::disable() { wb_touch_sensor_disable(getTag()); }

int TouchSensor::getSamplingPeriod() const { return wb_touch_sensor_get_sampling_period(getTag()); }

double TouchSensor::getValue() const { return wb_touch_sensor_get_value(getTag()); }

const double *TouchSensor::getValues() const { return wb_touch_sensor_get_values(getTag()); }

int TouchSensor::getLookupTableSize() const {
  return wb_touch_sensor_get_lookup_table_size(getTag());
}

const double *TouchSensor::getLookupTable() const {
  return wb_touch_sensor_get_lookup_table(getTag());
}

TouchSensor::Type TouchSensor::getType() const {
  return static_cast<Type>(wb_touch_sensor_get_type(getTag()));
}

}  // namespace webots

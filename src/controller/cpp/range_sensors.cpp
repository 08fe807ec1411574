// SPDX-License-Identifier: Apache-2.0
#include <webots/distance_sensor.h>
#include <webots/light_sensor.h>
#include <webots/touch_sensor.h>

#include <webots/DistanceSensor.hpp>
#include <webots/LightSensor.hpp>
#include <webots/TouchSensor.hpp>

namespace webots {

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

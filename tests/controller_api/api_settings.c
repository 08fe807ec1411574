/* SPDX-License-Identifier: Apache-2.0 */
/* A controller finds what a Supervisor changes of its devices, and the other way round. */
#include <webots/accelerometer.h>
#include <webots/connector.h>
#include <webots/distance_sensor.h>
#include <webots/emitter.h>
#include <webots/inertial_unit.h>
#include <webots/motor.h>
#include <webots/receiver.h>
#include <webots/robot.h>
#include <webots/supervisor.h>
#include <webots/vacuum_gripper.h>

#include "api.h"

enum { kStep = 16 };

static WbFieldRef field(const char *def, const char *name) {
  const WbNodeRef node = wb_supervisor_node_get_from_def(def);
  const WbFieldRef found = wb_supervisor_node_get_field(node, name);
  EXPECT(node != NULL && found != NULL);
  return found;
}

static int integer(const char *def, const char *name) {
  return wb_supervisor_field_get_sf_int32(field(def, name));
}

static double number(const char *def, const char *name) {
  return wb_supervisor_field_get_sf_float(field(def, name));
}

static bool boolean(const char *def, const char *name) {
  return wb_supervisor_field_get_sf_bool(field(def, name));
}

static void sensors_follow(void) {
  const WbDeviceTag eye = wb_robot_get_device("eye");
  const WbDeviceTag tilt = wb_robot_get_device("tilt");
  const WbDeviceTag unit = wb_robot_get_device("unit");
  const double row[] = {2.0, 700.0, 0.25};
  EXPECT(wb_distance_sensor_get_lookup_table_size(eye) == 2);
  EXPECT_IS(wb_distance_sensor_get_max_value(eye), 1000.0);
  wb_supervisor_field_insert_mf_vec3f(field("EYE", "lookupTable"), -1, row);
  wb_supervisor_field_set_sf_float(field("EYE", "aperture"), 0.5);
  wb_supervisor_field_set_sf_string(field("EYE", "type"), "laser");
  wb_supervisor_field_remove_mf(field("TILT", "lookupTable"), 0);
  wb_supervisor_field_set_sf_float(field("UNIT", "noise"), 0.75);
  EXPECT_IS(wb_distance_sensor_get_aperture(eye), 1.5708);
  wb_robot_step(kStep);
  EXPECT(wb_distance_sensor_get_lookup_table_size(eye) == 3);
  EXPECT_IS(wb_distance_sensor_get_lookup_table(eye)[7], 700.0);
  EXPECT_IS(wb_distance_sensor_get_aperture(eye), 0.5);
  EXPECT(wb_distance_sensor_get_type(eye) == WB_DISTANCE_SENSOR_LASER);
  wb_supervisor_field_remove_mf(field("EYE", "lookupTable"), 1);
  wb_robot_step(kStep);
  EXPECT_IS(wb_distance_sensor_get_max_value(eye), 700.0);
  EXPECT(wb_accelerometer_get_lookup_table_size(tilt) == 1);
  EXPECT_IS(wb_accelerometer_get_lookup_table(tilt)[1], 5.0);
  EXPECT_IS(wb_inertial_unit_get_noise(unit), 0.75);
}

static void radios_follow(void) {
  const WbDeviceTag tx = wb_robot_get_device("tx");
  const WbDeviceTag rx = wb_robot_get_device("rx");
  wb_emitter_set_channel(tx, 11);
  wb_emitter_set_range(tx, 20.0);
  wb_receiver_set_channel(rx, 12);
  wb_robot_step(kStep);
  EXPECT(integer("TX", "channel") == 11);
  EXPECT_IS(number("TX", "range"), 8.0);
  EXPECT(integer("RX", "channel") == 12);
  EXPECT(wb_emitter_get_channel(tx) == 11 && wb_receiver_get_channel(rx) == 12);

  wb_supervisor_field_set_sf_int32(field("TX", "channel"), 3); /* as the world has it */
  wb_supervisor_field_set_sf_float(field("TX", "range"), 2.5);
  wb_supervisor_field_set_sf_int32(field("TX", "bufferSize"), 128);
  wb_supervisor_field_set_sf_int32(field("RX", "channel"), 14);
  wb_robot_step(kStep);
  EXPECT(wb_emitter_get_channel(tx) == 3);
  EXPECT_IS(wb_emitter_get_range(tx), 2.5);
  EXPECT(wb_emitter_get_buffer_size(tx) == 128);
  EXPECT(wb_receiver_get_channel(rx) == 14);

  /* If both set a value in the same step, the value of the supervisor counts. */
  wb_supervisor_field_set_sf_int32(field("RX", "channel"), 15);
  wb_receiver_set_channel(rx, 16);
  wb_robot_step(kStep);
  wb_robot_step(kStep);
  EXPECT(wb_receiver_get_channel(rx) == 15 && integer("RX", "channel") == 15);
}

static void locks_follow(void) {
  const WbDeviceTag magnet = wb_robot_get_device("magnet");
  const WbDeviceTag cup = wb_robot_get_device("cup");
  wb_connector_lock(magnet);
  wb_vacuum_gripper_turn_off(cup);
  wb_robot_step(kStep);
  EXPECT(boolean("MAGNET", "isLocked") && !boolean("CUP", "isOn"));
  wb_supervisor_field_set_sf_bool(field("MAGNET", "isLocked"), false);
  wb_supervisor_field_set_sf_bool(field("CUP", "isOn"), true);
  wb_robot_step(kStep);
  EXPECT(!wb_connector_is_locked(magnet) && wb_vacuum_gripper_is_on(cup));
}

static void motors_follow(void) {
  const WbDeviceTag motor = wb_robot_get_device("motor");
  wb_supervisor_field_set_sf_float(field("MOTOR", "acceleration"), 6.0);
  wb_robot_step(kStep);
  EXPECT_IS(wb_motor_get_acceleration(motor), 6.0);
  wb_motor_set_acceleration(motor, 3.0);
  wb_robot_step(kStep);
  EXPECT_IS(number("MOTOR", "acceleration"), 3.0);
  wb_supervisor_field_set_sf_float(field("MOTOR", "acceleration"), 6.0); /* as the world has it */
  wb_robot_step(kStep);
  EXPECT_IS(wb_motor_get_acceleration(motor), 6.0);
}

int main(void) {
  api_begin();
  wb_robot_init();
  wb_robot_step(kStep);
  sensors_follow();
  radios_follow();
  locks_follow();
  motors_follow();
  EXPECT_SILENCE();
  wb_robot_cleanup();
  return api_end();
}

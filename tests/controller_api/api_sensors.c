/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors of motion and place are on a robot that falls, drifts north at 2 m/s and spins about
 * the upward axis at 0.5 rad/s. */
#include <webots/accelerometer.h>
#include <webots/altimeter.h>
#include <webots/compass.h>
#include <webots/device.h>
#include <webots/gps.h>
#include <webots/gyro.h>
#include <webots/inertial_unit.h>
#include <webots/robot.h>

#include "api.h"

enum { kStep = 16 };
static const double kStart = 1.5707963267948966; /* the robot's yaw */

static WbDeviceTag find(const char *name) {
  const WbDeviceTag tag = wb_robot_get_device(name);
  EXPECT(tag != 0);
  return tag;
}

static void expect_vector(const double *v, double x, double y, double z, double tolerance) {
  EXPECT_NEAR(v[0], x, tolerance);
  EXPECT_NEAR(v[1], y, tolerance);
  EXPECT_NEAR(v[2], z, tolerance);
}

/* Every node type is a device with a tag in the order of the tree, whether it is simulated or
 * not. */
static void devices(void) {
  EXPECT(wb_robot_get_number_of_devices() == 11);
  EXPECT(wb_device_get_node_type(find("gps")) == WB_NODE_GPS);
  EXPECT(wb_device_get_node_type(find("camera")) == WB_NODE_CAMERA);
  EXPECT_TEXT(wb_device_get_model(find("camera")), "eye");
  EXPECT(wb_robot_get_device_by_index(10) == find("lidar"));
  EXPECT(wb_device_get_node_type(find("lidar")) == WB_NODE_LIDAR);
  EXPECT_SILENCE();
}

static void sampling(WbDeviceTag gyro) {
  EXPECT_NAN(wb_gyro_get_values(gyro)[0]);
  EXPECT_MESSAGE("Error: wb_gyro_get_values() called for a disabled device");
  wb_gyro_enable(gyro, -1);
  EXPECT_MESSAGE("Error: wb_gyro_enable() called");
  wb_gyro_enable(gyro, 2 * kStep);
  EXPECT(wb_gyro_get_sampling_period(gyro) == 2 * kStep);
  wb_robot_step(kStep);
  EXPECT_NAN(wb_gyro_get_values(gyro)[2]);
  wb_robot_step(kStep);
  /* The sphere spins freely, so only rounding remains. */
  expect_vector(wb_gyro_get_values(gyro), 0.0, 0.0, 0.5, 1e-12);
  wb_gyro_disable(gyro);
  EXPECT(wb_gyro_get_sampling_period(gyro) == 0);
  EXPECT_SILENCE();
  EXPECT(wb_accelerometer_get_values(gyro) == NULL);
  EXPECT_MESSAGE("Error: wb_accelerometer_get_values(): invalid device tag");
}

static void tables(WbDeviceTag scaled, WbDeviceTag plain) {
  EXPECT(wb_accelerometer_get_lookup_table_size(scaled) == 3);
  EXPECT_IS(wb_accelerometer_get_lookup_table(scaled)[7], 300.0);
  EXPECT(wb_accelerometer_get_lookup_table_size(plain) == 0);
  EXPECT(wb_accelerometer_get_lookup_table(plain) == NULL);
  EXPECT_SILENCE();
}

static double yaw_now(void) { return kStart + 0.5 * wb_robot_get_time(); }

static void accelerations(void) {
  const WbDeviceTag accelerometer = find("accelerometer");
  const WbDeviceTag scaled = find("scaled");
  tables(scaled, accelerometer);
  wb_accelerometer_enable(accelerometer, kStep);
  wb_accelerometer_enable(scaled, kStep);
  wb_robot_step(kStep);
  /* The robot falls freely. Gravity alone changes its speed, and the sensor does not measure
   * gravity. */
  expect_vector(wb_accelerometer_get_values(accelerometer), 0.0, 0.0, 0.0, 1e-9);
  EXPECT_NEAR(wb_accelerometer_get_values(scaled)[0], 0.0, 0.0);
  EXPECT_NAN(wb_accelerometer_get_values(scaled)[1]);
  wb_robot_pin_to_static_environment(true);
  wb_robot_step(10 * kStep);
  expect_vector(wb_accelerometer_get_values(accelerometer), 0.0, 0.0, 9.81, 1e-2);
  EXPECT_NAN(wb_accelerometer_get_values(scaled)[1]);
  EXPECT_IS(wb_accelerometer_get_values(scaled)[2], 144.0); /* 9.81 * 15 in steps of 8 */
  wb_robot_pin_to_static_environment(false);
  EXPECT_SILENCE();
}

/* The robot drifts and spins. Gravity adds 9.81 m/s downwards per second. */
static void places(WbDeviceTag gps, WbDeviceTag compass, WbDeviceTag unit, WbDeviceTag tilted) {
  const double yaw = yaw_now();
  const double *q = wb_inertial_unit_get_quaternion(unit);
  expect_vector(wb_inertial_unit_get_roll_pitch_yaw(unit), 0.0, 0.0, yaw, 1e-6);
  EXPECT_NEAR(q[2], sin(yaw / 2.0), 1e-6);
  EXPECT_NEAR(q[3], cos(yaw / 2.0), 1e-6);
  expect_vector(wb_inertial_unit_get_roll_pitch_yaw(tilted), 0.0, 0.25, yaw, 1e-6);
  /* The compass is turned back by a quarter turn, so its frame differs from that of the world by
   * the spin only. */
  expect_vector(wb_compass_get_values(compass), sin(yaw - kStart), cos(yaw - kStart), 0.0, 1e-6);
  const double t = wb_robot_get_time();
  const double steps = t / 0.016;
  const double height = 50.0 + t - 9.81 * 0.016 * 0.016 * steps * (steps + 1.0) / 2.0;
  expect_vector(wb_gps_get_values(gps), 101.0 + 0.5 * cos(yaw), 202.0 + 2.0 * t + 0.5 * sin(yaw),
                300.0 + height, 1e-6);
  const double *v = wb_gps_get_speed_vector(gps);
  EXPECT_NEAR(wb_gps_get_speed(gps), sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), 1e-12);
  /* This is the angle in the middle of the last step. */
  const double middle = yaw - 0.5 * 0.008;
  EXPECT_NEAR(v[0], -0.25 * sin(middle), 1e-5);
  EXPECT_NEAR(v[1], 2.0 + 0.25 * cos(middle), 1e-5);
  EXPECT_NEAR(v[2], 1.0 - 9.81 * t, 1e-6);
}

/* The robot has no battery. */
static void battery(void) {
  wb_robot_battery_sensor_enable(kStep);
  EXPECT_MESSAGE("the field battery of this robot is empty");
  EXPECT_IS(wb_robot_battery_sensor_get_value(), -1.0);
  wb_robot_step(0);
  EXPECT_IS(wb_robot_battery_sensor_get_value(), -1.0);
}

/* The caller owns the text. */
static void expect_degrees(double decimal, const char *expected) {
  const char *text = wb_gps_convert_to_degrees_minutes_seconds(decimal);
  EXPECT_TEXT(text, expected);
  free((void *)text);
}

int main(void) {
  api_begin();
  wb_robot_init();
  devices();
  battery();
  const WbDeviceTag gps = find("gps");
  const WbDeviceTag compass = find("compass");
  const WbDeviceTag unit = find("inertial unit");
  const WbDeviceTag tilted = find("tilted");
  const WbDeviceTag altimeter = find("altimeter");
  EXPECT(wb_gps_get_coordinate_system(gps) == WB_GPS_LOCAL_COORDINATE);
  expect_degrees(-46.5078125, "-46° -30′ -28″");
  expect_degrees(-73.94, "-73° -56′ -23″");
  expect_degrees(-0.01, "0° 0′ -36″");
  expect_degrees(7.5078125, "7° 30′ 28″");
  EXPECT_IS(wb_inertial_unit_get_noise(unit), 0.0);
  wb_gps_enable(gps, kStep);
  wb_compass_enable(compass, kStep);
  wb_inertial_unit_enable(unit, kStep);
  wb_inertial_unit_enable(tilted, kStep);
  wb_altimeter_enable(altimeter, kStep);
  sampling(find("gyro"));
  for (int i = 0; i < 20; ++i) {
    wb_robot_step(kStep);
    places(gps, compass, unit, tilted);
  }
  const double height = wb_gps_get_values(gps)[2] - 300.0;
  EXPECT_IS(wb_altimeter_get_value(altimeter), trunc(height / 0.5 + 0.5) * 0.5);
  accelerations();
  wb_robot_cleanup();
  return api_end();
}

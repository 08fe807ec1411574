/* SPDX-License-Identifier: Apache-2.0 */
/* What wb_supervisor_simulation_reset() resets, and what stays. */
#include <math.h>
#include <stdlib.h>
#include <webots/brake.h>
#include <webots/camera.h>
#include <webots/connector.h>
#include <webots/led.h>
#include <webots/light_sensor.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/receiver.h>
#include <webots/robot.h>

#include "api_supervisor.h"

enum { kSamples = 4 };

static void expect_start(void) {
  EXPECT_IS(wb_robot_get_time(), h);
  expect_vector(wb_supervisor_node_get_position(find("BALL")), 1.0, 2.0, 10.0, 0.0);
  expect_vector(wb_supervisor_node_get_velocity(find("BALL")), 0.0, 0.0, 0.0, 0.0);
  EXPECT_IS(wb_supervisor_field_get_sf_float(field("PARAMETERS", "position")), 0.25);
  expect_vector(wb_supervisor_field_get_sf_vec3f(field("HAND", "translation")), 0.3, 0.0, 0.0, 0.0);
  expect_vector(wb_supervisor_node_get_position(find("SHELF")), 7.0, 0.0, 1.5, 0.0);
  expect_vector(wb_supervisor_field_get_sf_vec3f(field("PICTURE", "translation")), 3.0, 0.0, 1.0,
                0.0);
  expect_vector(wb_supervisor_field_get_sf_vec3f(field("INNER", "translation")), 0.0, 0.5, 0.0,
                0.0);
  EXPECT_NEAR(wb_supervisor_field_get_mf_float(field("BOSS", "battery"), 0), 50.0, 1e-12);
  EXPECT(!wb_supervisor_field_get_sf_bool(field("LOCK", "isLocked")));
}

/* The reset happens at the end of the step, which continues from the present state of the world. */
static void it_is_done_after_the_next_step(void) {
  for (int i = 0; i < 5; ++i) wb_robot_step(kStep);
  const double before = wb_supervisor_node_get_position(find("BALL"))[2];
  EXPECT(before < 9.99);
  wb_supervisor_simulation_reset();
  EXPECT_IS(wb_supervisor_node_get_position(find("BALL"))[2], before);
  EXPECT(wb_robot_step(kStep) == 0);
  expect_start();
  EXPECT(wb_robot_step(kStep) == 0);
  EXPECT_NEAR(wb_robot_get_time(), 2 * h, 1e-12);
  EXPECT_NEAR(wb_supervisor_node_get_velocity(find("BALL"))[2], -9.81 * h, 1e-12);
}

static void a_longer_step_keeps_its_length(void) {
  wb_supervisor_simulation_reset();
  EXPECT(wb_robot_step(4 * kStep) == 0);
  EXPECT_NEAR(wb_robot_get_time(), 4 * h, 1e-12);
}

static void change_fields(void) {
  wb_supervisor_field_set_sf_float(field("PHYSICS", "mass"), 5.0);
  wb_supervisor_field_set_sf_float(field("INFO", "gravity"), 4.0);
  wb_supervisor_field_set_sf_string(field("BOSS", "customData"), "second");
  wb_supervisor_field_set_sf_float(field("MOTOR", "maxVelocity"), 3.0);
  wb_supervisor_field_set_mf_float(field("BOSS", "battery"), 1, 200.0);
  wb_supervisor_field_set_sf_vec3f(field("PICTURE", "translation"), (const double[]){4, 4, 4});
  wb_supervisor_field_set_sf_vec3f(field("INNER", "translation"), (const double[]){0, 2, 0});
  wb_supervisor_field_set_sf_vec3f(field("INNER", "scale"), (const double[]){3, 3, 3});
  wb_supervisor_field_set_sf_vec3f(field("SHELF", "translation"), (const double[]){0, 0, 2});
  wb_supervisor_field_set_sf_vec3f(field("BALL", "translation"), (const double[]){0, 0, 20});
  wb_supervisor_node_remove(find("GONE"));
  wb_supervisor_field_import_mf_node_from_string(
      top(), -1, "DEF NEW Solid { name \"new\" translation 20 0 0 } DEF NEWER Pose { }");
  wb_supervisor_field_import_mf_node_from_string(
      wb_supervisor_node_get_field(find("STAND"), "children"), 0, "DEF LEAF Pose { }");
}

static void expect_changed_fields(void) {
  EXPECT_IS(wb_supervisor_field_get_sf_float(field("PHYSICS", "mass")), 5.0);
  EXPECT_IS(wb_supervisor_field_get_sf_float(field("INFO", "gravity")), 4.0);
  EXPECT_TEXT(wb_robot_get_custom_data(), "second");
  EXPECT_IS(wb_motor_get_max_velocity(wb_robot_get_device("motor")), 3.0);
  EXPECT_IS(wb_supervisor_field_get_mf_float(field("BOSS", "battery"), 1), 200.0);
  expect_vector(wb_supervisor_field_get_sf_vec3f(field("INNER", "scale")), 3.0, 3.0, 3.0, 0.0);
  EXPECT(!exists("GONE"));
  EXPECT(!exists("NEW"));
  EXPECT(!exists("NEWER"));
  EXPECT(!exists("LEAF"));
}

static void fields_stay_and_what_moves_goes_back(void) {
  const WbDeviceTag motor = wb_robot_get_device("motor");
  const WbDeviceTag ear = wb_robot_get_device("ear");
  change_fields();
  wb_motor_set_position(motor, 1.0);
  wb_receiver_set_channel(ear, 6);
  wb_motor_set_control_pid(motor, 7.0, 0.0, 0.0);
  wb_connector_lock(wb_robot_get_device("lock"));
  wb_brake_set_damping_constant(wb_robot_get_device("brake"), 50.0);
  for (int i = 0; i < 5; ++i) wb_robot_step(kStep);
  EXPECT(exists("NEW") && exists("NEWER") && exists("LEAF"));
  EXPECT(wb_supervisor_field_get_sf_float(field("PARAMETERS", "position")) > 0.3);
  for (int i = 0; i < 2; ++i) { /* the second time nothing has changed */
    wb_supervisor_simulation_reset();
    EXPECT(wb_robot_step(kStep) == 0);
    expect_start();
    expect_changed_fields();
    EXPECT(wb_supervisor_field_get_sf_int32(field("EAR", "channel")) == 6);
    EXPECT_IS(wb_supervisor_field_get_sf_vec3f(field("MOTOR", "controlPID"))[0], 7.0);
    for (int n = 0; n < 5; ++n) wb_robot_step(kStep);
    EXPECT_NEAR(wb_supervisor_node_get_velocity(find("BALL"))[2], -4.0 * 5 * h, 1e-9);
    /* The motor holds the joint at its start position. */
    EXPECT_NEAR(wb_supervisor_field_get_sf_float(field("PARAMETERS", "position")), 0.25, 1e-5);
  }
  EXPECT(wb_connector_is_locked(wb_robot_get_device("lock")) == false);
}

static void sample(double values[kSamples]) {
  wb_supervisor_simulation_reset();
  for (int i = 0; i < kSamples; ++i) {
    wb_robot_step(kStep);
    values[i] = wb_position_sensor_get_value(wb_robot_get_device("angle"));
  }
}

static bool same(const double a[kSamples], const double b[kSamples]) {
  return memcmp(a, b, kSamples * sizeof(double)) == 0;
}

/* A reset restarts the random numbers with the present randomSeed. */
static void random_numbers_begin_anew(void) {
  double first[kSamples], again[kSamples], other[kSamples], back[kSamples];
  wb_position_sensor_enable(wb_robot_get_device("angle"), kStep);
  sample(first);
  EXPECT(fabs(first[0] - 0.25) > 1e-9); /* there is noise */
  sample(again);
  EXPECT(same(first, again));
  wb_supervisor_field_set_sf_int32(field("INFO", "randomSeed"), 7);
  sample(other);
  EXPECT(!same(first, other));
  sample(again);
  EXPECT(same(other, again));
  wb_supervisor_field_set_sf_int32(field("INFO", "randomSeed"), 0);
  sample(back);
  EXPECT(same(first, back));
}

/* A randomSeed takes effect at once. */
static void a_seed_counts_at_once(void) {
  double values[2];
  for (int i = 0; i < 2; ++i) {
    wb_supervisor_field_set_sf_int32(field("INFO", "randomSeed"), 11);
    wb_robot_step(kStep);
    values[i] = wb_position_sensor_get_value(wb_robot_get_device("angle")) -
                wb_supervisor_field_get_sf_float(field("PARAMETERS", "position"));
    wb_supervisor_field_set_sf_int32(field("INFO", "randomSeed"), 12);
    wb_robot_step(kStep);
  }
  EXPECT_NEAR(values[0], values[1], 1e-12);
}

static void loaded(const char *name, double picture, double inner, double angle) {
  wb_supervisor_node_load_state(find("PICTURE"), name);
  wb_supervisor_node_load_state(find("BOSS"), name);
  EXPECT_NEAR(wb_supervisor_field_get_sf_vec3f(field("PICTURE", "translation"))[0], picture, 0.0);
  EXPECT_NEAR(wb_supervisor_field_get_sf_vec3f(field("INNER", "translation"))[1], inner, 0.0);
  EXPECT_NEAR(wb_supervisor_node_get_position(find("INNER"))[0], picture, 1e-12);
  EXPECT_NEAR(wb_supervisor_field_get_sf_float(field("PARAMETERS", "position")), angle, 1e-9);
  EXPECT_NEAR(wb_supervisor_field_get_sf_rotation(field("PICTURE", "rotation"))[3], 0.0, 0.0);
}

/* States of nodes include Poses and Transforms. Motors are at rest where the state puts their
 * joints. */
static void states_hold_more_than_solids(void) {
  const WbDeviceTag motor = wb_robot_get_device("motor");
  wb_supervisor_simulation_reset();
  wb_robot_step(kStep);
  wb_supervisor_field_set_sf_vec3f(field("PICTURE", "translation"), (const double[]){4, 4, 4});
  wb_supervisor_field_set_sf_vec3f(field("INNER", "translation"), (const double[]){0, 2, 0});
  wb_supervisor_node_save_state(find("PICTURE"), "mine");
  wb_supervisor_node_save_state(find("BOSS"), "mine");
  const double charge = wb_supervisor_field_get_mf_float(field("BOSS", "battery"), 0);
  wb_supervisor_field_set_sf_vec3f(field("PICTURE", "translation"), (const double[]){9, 9, 9});
  wb_supervisor_field_set_sf_rotation(field("PICTURE", "rotation"), (const double[]){0, 0, 1, 1});
  wb_supervisor_field_set_sf_vec3f(field("INNER", "translation"), (const double[]){0, 9, 0});
  wb_supervisor_field_set_sf_float(field("PHYSICS", "mass"), 6.0);
  wb_motor_set_position(motor, 1.0);
  wb_motor_set_velocity(motor, 0.5);
  wb_connector_lock(wb_robot_get_device("lock"));
  for (int i = 0; i < 5; ++i) wb_robot_step(kStep);
  const double angle = 0.25;
  loaded("mine", 4.0, 2.0,
         wb_supervisor_field_get_sf_float(field("PARAMETERS", "position")) > 0.26 ? angle : -1.0);
  EXPECT_NEAR(wb_supervisor_field_get_mf_float(field("BOSS", "battery"), 0), charge, 1e-12);
  EXPECT(!wb_supervisor_field_get_sf_bool(field("LOCK", "isLocked")));
  for (int i = 0; i < 5; ++i) wb_robot_step(kStep);
  EXPECT_NEAR(wb_supervisor_field_get_sf_float(field("PARAMETERS", "position")), angle, 1e-5);
  EXPECT_IS(wb_supervisor_field_get_sf_float(field("PHYSICS", "mass")), 6.0);
  wb_motor_set_position(motor, 1.0);
  for (int i = 0; i < 5; ++i) wb_robot_step(kStep);
  loaded("__init__", 3.0, 0.5, angle);
  wb_supervisor_field_import_mf_node_from_string(
      top(), -1, "DEF LATE Pose { translation 0 0 3 children DEF PART Pose { } }");
  wb_supervisor_field_set_sf_vec3f(field("LATE", "translation"), (const double[]){1, 1, 1});
  wb_supervisor_field_set_sf_vec3f(field("PART", "translation"), (const double[]){1, 1, 1});
  wb_supervisor_node_load_state(find("PART"), "__init__");
  expect_vector(wb_supervisor_node_get_position(find("PART")), 1.0, 1.0, 1.0, 1e-12);
  wb_supervisor_node_load_state(find("LATE"), "__init__");
  expect_vector(wb_supervisor_node_get_position(find("PART")), 0.0, 0.0, 3.0, 1e-12);
}

/* The answer of the step has the measurements, however long the periods are. */
static void sensors_measure_the_start(void) {
  const WbDeviceTag angle = wb_robot_get_device("angle"), eye = wb_robot_get_device("eye");
  const WbDeviceTag led = wb_robot_get_device("led"), motor = wb_robot_get_device("motor");
  wb_position_sensor_enable(angle, 50 * kStep);
  wb_light_sensor_enable(eye, 50 * kStep);
  wb_robot_battery_sensor_enable(50 * kStep);
  for (int episode = 0; episode < 2; ++episode) {
    wb_supervisor_simulation_reset();
    wb_robot_step(kStep);
    EXPECT_NEAR(wb_position_sensor_get_value(angle), 0.25, 0.05); /* with noise */
    EXPECT_IS(wb_light_sensor_get_value(eye), 0.0);
    EXPECT_NEAR(wb_robot_battery_sensor_get_value(), 50.0, 1e-12);
    wb_motor_set_position(motor, 1.0);
    wb_led_set(led, 1);
    for (int i = 0; i < 50; ++i) wb_robot_step(kStep);
    EXPECT(wb_position_sensor_get_value(angle) > 0.5);
    EXPECT_IS(wb_light_sensor_get_value(eye), 0.25);
    EXPECT(wb_robot_battery_sensor_get_value() < 50.0);
  }
}

/* A reset makes a picture at once, even for a camera that nobody has read before. */
static void pictures_are_there_after_a_reset(void) {
  const WbDeviceTag camera = wb_robot_get_device("camera");
  wb_robot_step(kStep);
  wb_camera_enable(camera, 4 * kStep);
  for (int i = 0; i < 6; ++i) wb_robot_step(kStep);
  for (int episode = 0; episode < 2; ++episode) {
    wb_supervisor_simulation_reset();
    for (int i = 0; i < 6; ++i) {
      wb_robot_step(kStep);
      EXPECT(wb_camera_get_image(camera) != NULL);
    }
  }
  wb_camera_disable(camera);
  EXPECT(wb_camera_get_image(camera) == NULL);
  take_messages(); /* that nothing is drawn */
}

/* The same holds for segments before the first period is over. */
static void segments_are_there_after_a_reset(void) {
  const WbDeviceTag camera = wb_robot_get_device("camera");
  wb_camera_recognition_enable(camera, 50 * kStep);
  wb_camera_recognition_enable_segmentation(camera);
  wb_robot_step(kStep);
  EXPECT(wb_camera_recognition_get_segmentation_image(camera) != NULL);
  wb_supervisor_simulation_reset();
  for (int i = 0; i < 3; ++i) {
    wb_robot_step(kStep);
    EXPECT(wb_camera_recognition_get_segmentation_image(camera) != NULL);
  }
  wb_camera_recognition_disable(camera);
  EXPECT(wb_camera_recognition_get_segmentation_image(camera) == NULL);
}

static void expect_led(int value, double light) {
  EXPECT(wb_led_get(wb_robot_get_device("led")) == value);
  EXPECT_NEAR(wb_light_sensor_get_value(wb_robot_get_device("eye")), light, 1e-12);
}

/* A changed tree leaves an LED as it is. A reset and a loaded state switch it off. */
static void leds_are_switched_off(void) {
  const WbDeviceTag led = wb_robot_get_device("led");
  wb_supervisor_simulation_reset();
  wb_robot_step(kStep);
  wb_light_sensor_enable(wb_robot_get_device("eye"), kStep);
  wb_robot_step(kStep);
  expect_led(0, 0.0);
  wb_led_set(led, 2);
  wb_robot_step(kStep);
  expect_led(2, 0.25 / 3.0);
  wb_supervisor_field_set_sf_float(field("INFO", "gravity"), 3.0);
  wb_robot_step(kStep);
  expect_led(2, 0.25 / 3.0);
  wb_supervisor_field_set_mf_color(field("LED", "color"), 1, (const double[]){0.5, 1, 0.5});
  wb_robot_step(kStep);
  expect_led(2, 0.5 / 3.0);
  wb_supervisor_simulation_reset();
  wb_robot_step(kStep);
  expect_led(0, 0.0);
  wb_led_set(led, 2);  // in the step of a reset; the reset follows
  wb_supervisor_simulation_reset();
  wb_robot_step(kStep);
  expect_led(0, 0.0);
  wb_led_set(led, 1);
  wb_robot_step(kStep);
  expect_led(1, 0.25);
  wb_supervisor_node_load_state(find("BOSS"), "__init__");
  wb_robot_step(kStep);
  expect_led(0, 0.0);
}

int main(void) {
  api_begin();
  wb_robot_init();
  it_is_done_after_the_next_step();
  a_longer_step_keeps_its_length();
  fields_stay_and_what_moves_goes_back();
  random_numbers_begin_anew();
  a_seed_counts_at_once();
  states_hold_more_than_solids();
  sensors_measure_the_start();
  leds_are_switched_off();
  pictures_are_there_after_a_reset();
  segments_are_there_after_a_reset();
  wb_robot_cleanup();
  return api_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls every function of the devices that would need a picture, a sound or a user. */
#include <math.h>
#include <stdlib.h>
#include <webots/camera.h>
#include <webots/joystick.h>
#include <webots/keyboard.h>
#include <webots/led.h>
#include <webots/lidar.h>
#include <webots/microphone.h>
#include <webots/mouse.h>
#include <webots/pen.h>
#include <webots/plugins/robot_window/default.h>
#include <webots/plugins/robot_window/generic_robot_window/generic.h>
#include <webots/plugins/robot_window/robot_window.h>
#include <webots/plugins/robot_window/robot_wwi.h>
#include <webots/radar.h>
#include <webots/range_finder.h>
#include <webots/remote_control.h>
#include <webots/robot.h>
#include <webots/skin.h>
#include <webots/speaker.h>

#include "api.h"

enum { kStep = 16 };

static WbDeviceTag find(const char *name) {
  const WbDeviceTag tag = wb_robot_get_device(name);
  EXPECT(tag != 0);
  return tag;
}

/* Returns whether there is a PNG file of that size, and removes the file. */
static bool is_picture(const char *name, int width, int height) {
  unsigned char begin[24] = {0};
  FILE *file = fopen(name, "rb");
  EXPECT(file != NULL);
  if (file == NULL) return false;
  EXPECT(fread(begin, 1, sizeof begin, file) == sizeof begin);
  fclose(file);
  remove(name);
  return memcmp(begin, "\x89PNG\r\n\x1a\n", 8) == 0 && 256 * begin[18] + begin[19] == width &&
         256 * begin[22] + begin[23] == height;
}

/* Returns whether a file is a complete JPEG file of that size, and removes the file. */
static int is_jpeg(const char *name, int width, int height) {
  static unsigned char bytes[1 << 20];
  FILE *file = fopen(name, "rb");
  const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file) fclose(file);
  remove(name);
  if (size < 200 || bytes[0] != 0xff || bytes[1] != 0xd8 || bytes[size - 2] != 0xff ||
      bytes[size - 1] != 0xd9)
    return 0;
  for (size_t at = 2; at + 9 < size && bytes[at] == 0xff;
       at += 2u + (unsigned)bytes[at + 2] * 256u + bytes[at + 3]) {
    if (bytes[at + 1] == 0xc0)
      return bytes[at + 5] * 256 + bytes[at + 6] == height &&
             bytes[at + 7] * 256 + bytes[at + 8] == width;
  }
  return 0;
}

static void zoom_and_focus(WbDeviceTag camera, WbDeviceTag plain) {
  EXPECT_IS(wb_camera_get_fov(camera), 1.2);
  EXPECT_IS(wb_camera_get_min_fov(camera), 0.4);
  EXPECT_IS(wb_camera_get_max_fov(camera), 1.4);
  wb_camera_set_fov(camera, 0.5);
  EXPECT_IS(wb_camera_get_fov(camera), 0.5);
  wb_camera_set_exposure(camera, 1.5);
  EXPECT_IS(wb_camera_get_exposure(camera), 1.5);
  EXPECT_IS(wb_camera_get_focal_length(camera), 0.05);
  EXPECT_IS(wb_camera_get_focal_distance(camera), 3.0);
  EXPECT_IS(wb_camera_get_min_focal_distance(camera), 1.0);
  EXPECT_IS(wb_camera_get_max_focal_distance(camera), 9.0);
  wb_camera_set_focal_distance(camera, 8.0);
  EXPECT_IS(wb_camera_get_focal_distance(camera), 8.0);
  EXPECT_IS(wb_camera_get_min_fov(plain), 0.9);
  EXPECT_IS(wb_camera_get_max_fov(plain), 0.9);
  EXPECT_IS(wb_camera_get_focal_length(plain), 0.0);
  EXPECT_SILENCE();
  wb_camera_set_fov(camera, 1.5);
  EXPECT_MESSAGE("Error: wb_camera_set_fov() out of zoom range [0.400000, 1.400000].");
  wb_camera_set_fov(camera, 4.0);
  EXPECT_MESSAGE(
      "Error: wb_camera_set_fov() called with 'fov' argument outside of the [0, pi] range.");
  wb_camera_set_fov(plain, 0.9);
  EXPECT_SILENCE();
  wb_camera_set_fov(plain, 1.0);
  EXPECT_MESSAGE("Error: wb_camera_set_fov() out of zoom range [0.900000, 0.900000].");
  wb_camera_set_focal_distance(plain, 0.9);
  EXPECT_MESSAGE("Error: wb_camera_set_focal_distance() out of focus range [0.000000, 0.000000].");
  const WbDeviceTag round = find("round");
  wb_camera_set_focal_distance(round, 1.0);
  EXPECT_MESSAGE("Error: wb_camera_set_focal_distance() can only be called on a planar camera.");
  wb_camera_set_fov(round, 6.5);
  EXPECT_MESSAGE(
      "Error: wb_camera_set_fov() called with 'fov' argument outside of the [0, 2.0*pi] range.");
  wb_camera_set_exposure(camera, NAN);
  EXPECT_MESSAGE("Error: 'exposure' argument of wb_camera_set_exposure() can't be negative.");
  wb_camera_enable(camera, -1);
  EXPECT_MESSAGE("Error: wb_camera_enable() called with negative sampling period.");
}

static void recognition(WbDeviceTag camera, WbDeviceTag plain) {
  EXPECT(wb_camera_has_recognition(camera) && !wb_camera_has_recognition(plain));
  EXPECT(wb_camera_recognition_get_number_of_objects(camera) == 0);
  EXPECT_MESSAGE(
      "Error: wb_camera_recognition_get_number_of_objects() called for a disabled device! Please "
      "use: wb_camera_recognition_enable().");
  wb_camera_recognition_enable(camera, kStep);
  EXPECT(wb_camera_recognition_get_sampling_period(camera) == kStep);
  EXPECT(wb_camera_recognition_get_number_of_objects(camera) == 0);
  EXPECT(wb_camera_recognition_get_objects(camera) == NULL);
  EXPECT_SILENCE();
  wb_robot_step(kStep);
  EXPECT(wb_camera_recognition_get_number_of_objects(camera) == 0); /* there is nothing to see */
  EXPECT_SILENCE();
  EXPECT(wb_camera_recognition_get_object(camera, 0) == NULL);
  EXPECT_MESSAGE("Error: wb_camera_recognition_get_object(): there is no such object");
  wb_camera_recognition_disable(camera);
  EXPECT(wb_camera_recognition_get_sampling_period(camera) == 0);
  wb_camera_recognition_enable(plain, kStep);
  EXPECT_MESSAGE(
      "Error: wb_camera_recognition_enable() called on a Camera without Recognition node.");
}

static void segmented_pictures(WbDeviceTag camera, WbDeviceTag plain) {
  EXPECT(wb_camera_recognition_has_segmentation(camera));
  EXPECT(!wb_camera_recognition_has_segmentation(plain));
  EXPECT(wb_camera_recognition_get_segmentation_image(camera) == NULL);
  EXPECT_MESSAGE(
      "Error: wb_camera_recognition_get_segmentation_image(): segmentation is disabled! Please "
      "use: wb_camera_recognition_enable_segmentation().");
  EXPECT(wb_camera_recognition_save_segmentation_image(camera, "seen.png", 100) == -1);
  EXPECT_MESSAGE("Error: wb_camera_recognition_save_segmentation_image(): segmentation is");
  const WbDeviceTag round = find("round");
  wb_camera_recognition_enable_segmentation(round);
  EXPECT_MESSAGE(
      "Error: wb_camera_recognition_enable_segmentation(): segmentation is disabled in Recognition "
      "node.");
  EXPECT(wb_camera_recognition_get_segmentation_image(round) == NULL);
  EXPECT_SILENCE();
  wb_camera_recognition_enable_segmentation(camera);
  EXPECT(wb_camera_recognition_is_segmentation_enabled(camera));
  EXPECT(wb_camera_recognition_get_segmentation_image(camera) == NULL); /* no recognition yet */
  EXPECT_SILENCE();
  wb_camera_recognition_enable(camera, kStep);
  EXPECT(wb_camera_recognition_get_segmentation_image(camera) == NULL); /* before a step */
  wb_robot_step(kStep); /* the camera itself is disabled */
  const unsigned char *image = wb_camera_recognition_get_segmentation_image(camera);
  EXPECT(image[4 * 320 * 240 - 1] == 255 && image[4 * 320 * 240 - 2] == 0);
  EXPECT(wb_camera_recognition_save_segmentation_image(camera, "seen.png", 100) == 0);
  EXPECT(is_picture("seen.png", 320, 240));
  wb_camera_recognition_disable(camera);
  EXPECT(wb_camera_recognition_get_segmentation_image(camera) == NULL);
  EXPECT(wb_camera_recognition_save_segmentation_image(camera, "x.png", 1) == -1);
  EXPECT_MESSAGE("Error: wb_camera_recognition_save_segmentation_image(): there is no picture");
  wb_camera_recognition_disable_segmentation(camera);
  EXPECT(!wb_camera_recognition_is_segmentation_enabled(camera));
  EXPECT_SILENCE();
}

static void cameras(void) {
  const WbDeviceTag camera = find("camera");
  const WbDeviceTag plain = find("plain");
  wb_camera_enable(camera, 2 * kStep);
  EXPECT(wb_camera_get_sampling_period(camera) == 2 * kStep);
  EXPECT(wb_camera_get_width(camera) == 320 && wb_camera_get_height(camera) == 240);
  EXPECT_IS(wb_camera_get_near(camera), 0.02);
  EXPECT(wb_camera_get_image(camera) == NULL); /* before a step */
  EXPECT(wb_camera_save_image(camera, "camera.png", 100) == -1);
  EXPECT_MESSAGE("Error: wb_camera_save_image(): there is no picture before a step.");
  wb_robot_step(kStep);
  const unsigned char *image = wb_camera_get_image(camera); /* a period is not over */
  EXPECT(image[0] == 0 && image[1] == 0 && image[2] == 0 && image[4 * 320 * 240 - 1] == 255);
  wb_robot_step(kStep);
  EXPECT_SILENCE();
  EXPECT(wb_camera_get_image(camera) == image && image[4 * 320 * 240 - 1] == 255);
  EXPECT(wb_camera_save_image(camera, "camera.PNG", 0) == 0);
  EXPECT(is_picture("camera.PNG", 320, 240));
  EXPECT(wb_camera_save_image(camera, "camera.jpg", 100) == 0);
  EXPECT(is_jpeg("camera.jpg", 320, 240));
  EXPECT_SILENCE();
  EXPECT(wb_camera_save_image(camera, "camera.jpg", 0) == -1);
  EXPECT_MESSAGE("Error: wb_camera_save_image() called with invalid 'quality' argument.");
  EXPECT(wb_camera_save_image(camera, "camera.gif", 100) == -1);
  EXPECT_MESSAGE(
      "Error: wb_camera_save_image() called with unsupported image format (should be PNG or "
      "JPEG).");
  EXPECT(wb_camera_save_image(camera, NULL, 100) == -1);
  EXPECT_MESSAGE("Error: wb_camera_save_image() called with NULL or empty 'filename' argument.");
  EXPECT(wb_camera_save_image(camera, "no such folder/x.png", 100) == -1);
  EXPECT_MESSAGE("cannot be written: No such file or directory");
  EXPECT(wb_camera_get_range_image(camera) == NULL); /* it measures no distances */
  EXPECT(wb_camera_get_type(camera) == WB_CAMERA_COLOR);
  EXPECT_SILENCE();
  wb_camera_disable(camera);
  EXPECT(wb_camera_get_sampling_period(camera) == 0);
  EXPECT(wb_camera_get_image(camera) == NULL);
  EXPECT_MESSAGE(
      "Error: wb_camera_get_image() called for a disabled device! Please use: "
      "wb_camera_enable().");
  wb_camera_enable(camera, kStep);
  EXPECT(wb_camera_get_image(camera) == image); /* it has kept its picture */
  wb_robot_step(kStep);
  EXPECT(wb_camera_get_image(camera) == image);
  wb_camera_disable(camera);
  zoom_and_focus(camera, plain);
  recognition(camera, plain);
  segmented_pictures(camera, plain);
}

static void point_cloud(WbDeviceTag lidar) {
  EXPECT(wb_lidar_get_number_of_points(lidar) == 0);
  EXPECT_MESSAGE("Error: wb_lidar_get_number_of_points() called for a lidar with point cloud");
  EXPECT(wb_lidar_get_point_cloud(lidar) == NULL);
  EXPECT_MESSAGE("Error: wb_lidar_get_point_cloud() called for a lidar with point cloud disabled");
  wb_lidar_enable_point_cloud(lidar);
  EXPECT(wb_lidar_get_number_of_points(lidar) == 270);
  const WbLidarPoint *points = wb_lidar_get_point_cloud(lidar);
  EXPECT(isinf(points[0].x) && isinf(points[89].y) && isinf(points[269].z));
  EXPECT(isnan(points[90].z)); /* infinity times the sine of 0 */
  EXPECT(points[89].layer_id == 0 && points[90].layer_id == 1 && points[269].layer_id == 2);
  EXPECT_NEAR(points[180].time, wb_robot_get_time(), 1e-6);
  EXPECT_NEAR(points[269].time, wb_robot_get_time() - 89.0 / 90.0 * 0.001 * kStep, 1e-6);
  EXPECT(wb_lidar_get_layer_point_cloud(lidar, 2) == points + 180);
  EXPECT(wb_lidar_get_point(lidar, 269) == points + 269);
  wb_robot_step(kStep);
  EXPECT_NEAR(points[0].time, wb_robot_get_time(), 1e-6); /* each sample overwrites them */
  EXPECT_SILENCE();
  EXPECT(wb_lidar_get_layer_point_cloud(lidar, 3) == NULL);
  EXPECT_MESSAGE(
      "Error: wb_lidar_get_layer_point_cloud() called with a 'layer' argument (3) bigger or equal "
      "to "
      "the number of layers of this lidar (3).");
  EXPECT(wb_lidar_get_point(lidar, -4) == NULL);
  EXPECT_MESSAGE("Error: wb_lidar_get_point(): there is no such point");
  wb_lidar_disable_point_cloud(lidar);
}

static void rangers(void) {
  const WbDeviceTag finder = find("finder");
  const WbDeviceTag lidar = find("lidar");
  const WbDeviceTag radar = find("radar");
  wb_range_finder_enable(finder, kStep);
  EXPECT(wb_range_finder_get_sampling_period(finder) == kStep);
  EXPECT(wb_range_finder_get_width(finder) == 17 && wb_range_finder_get_height(finder) == 5);
  EXPECT_IS(wb_range_finder_get_fov(finder), 1.1);
  EXPECT_IS(wb_range_finder_get_min_range(finder), 0.2);
  EXPECT_IS(wb_range_finder_get_max_range(finder), 4.0);
  EXPECT(wb_range_finder_get_range_image(finder) == NULL);
  wb_robot_step(kStep);
  EXPECT(isinf(wb_range_finder_get_range_image(finder)[17 * 5 - 1]));
  EXPECT(wb_range_finder_save_image(finder, "finder.png", 1) == 0);
  EXPECT(is_picture("finder.png", 17, 5));
  EXPECT(wb_range_finder_save_image(finder, "finder.hdr", 1) == 0);
  EXPECT(remove("finder.hdr") == 0);
  EXPECT_SILENCE();
  EXPECT(wb_range_finder_save_image(finder, "x.png", 0) == -1);
  EXPECT_MESSAGE("Error: wb_range_finder_save_image() called with invalid 'quality' argument");
  EXPECT(wb_range_finder_save_image(finder, "x.gif", 1) == -1);
  EXPECT_MESSAGE("Error: wb_range_finder_save_image() called with unsupported image format");
  EXPECT(wb_range_finder_save_image(finder, "x.tiff", 1) == -1);
  EXPECT_MESSAGE("Error: wb_range_finder_save_image(): .tiff image not supported anymore");
  EXPECT(wb_range_finder_save_image(finder, "finder.jpg", 90) == 0);
  EXPECT(is_jpeg("finder.jpg", 17, 5));
  const float *image = wb_range_finder_get_range_image(finder);
  wb_range_finder_disable(finder);
  EXPECT(wb_range_finder_get_range_image(finder) == image);
  EXPECT_MESSAGE("Error: wb_range_finder_get_range_image() called for a disabled device");

  wb_lidar_enable(lidar, kStep);
  EXPECT(wb_lidar_get_sampling_period(lidar) == kStep);
  wb_lidar_enable_point_cloud(lidar);
  EXPECT(wb_lidar_is_point_cloud_enabled(lidar));
  wb_lidar_disable_point_cloud(lidar);
  EXPECT(!wb_lidar_is_point_cloud_enabled(lidar));
  wb_lidar_enable_point_cloud(lidar);
  EXPECT(wb_lidar_get_point_cloud(lidar) == NULL); /* before the first sample */
  wb_lidar_disable_point_cloud(lidar);
  take_messages();
  wb_robot_step(kStep);
  EXPECT(isinf(wb_lidar_get_range_image(lidar)[3 * 90 - 1]));
  EXPECT(isinf(wb_lidar_get_layer_range_image(lidar, 2)[89]));
  EXPECT(wb_lidar_get_layer_range_image(lidar, 3) == NULL);
  EXPECT_MESSAGE(
      "Error: wb_lidar_get_layer_range_image() called with a 'layer' argument (3) bigger or equal "
      "to "
      "the number of layers of this lidar (3).");
  EXPECT(wb_lidar_get_layer_range_image(lidar, -1) == NULL);
  EXPECT_MESSAGE(
      "Error: wb_lidar_get_layer_range_image() called with a negative 'layer' argument.");
  EXPECT(wb_lidar_get_horizontal_resolution(lidar) == 90);
  EXPECT(wb_lidar_get_number_of_layers(lidar) == 3);
  EXPECT_IS(wb_lidar_get_fov(lidar), 2.5);
  EXPECT_IS(wb_lidar_get_vertical_fov(lidar), 0.3);
  EXPECT_IS(wb_lidar_get_min_range(lidar), 0.1);
  EXPECT_IS(wb_lidar_get_max_range(lidar), 20.0);
  EXPECT_IS(wb_lidar_get_min_frequency(lidar), 1.0);
  EXPECT_IS(wb_lidar_get_max_frequency(lidar), 25.0);
  EXPECT_IS(wb_lidar_get_frequency(lidar), 10.0);
  wb_lidar_set_frequency(lidar, 12.0);
  EXPECT_IS(wb_lidar_get_frequency(lidar), 12.0);
  EXPECT_SILENCE();
  point_cloud(lidar);
  wb_lidar_disable(lidar);
  wb_lidar_set_frequency(lidar, 26.0);
  EXPECT_MESSAGE("Error: wb_lidar_set_frequency() out of frequency range [1.0");

  wb_radar_enable(radar, kStep);
  EXPECT(wb_radar_get_sampling_period(radar) == kStep);
  EXPECT(wb_radar_get_number_of_targets(radar) == 0);
  EXPECT(wb_radar_get_targets(radar) == NULL);
  EXPECT_SILENCE();
  EXPECT(wb_radar_get_target(radar, 0) == NULL);
  EXPECT_MESSAGE("Error: wb_radar_get_target(): there is no such target.");
  EXPECT_IS(wb_radar_get_min_range(radar), 2.0);
  EXPECT_IS(wb_radar_get_max_range(radar), 60.0);
  EXPECT_IS(wb_radar_get_horizontal_fov(radar), 0.7);
  EXPECT_IS(wb_radar_get_vertical_fov(radar), 0.2);
  wb_radar_disable(radar);
  EXPECT(wb_radar_get_number_of_targets(radar) == 0);
  EXPECT_MESSAGE(
      "Error: wb_radar_get_number_of_targets() called for a disabled device! Please use: "
      "wb_radar_enable().");
  wb_radar_enable(lidar, kStep);
  EXPECT_MESSAGE("Error: wb_radar_enable(): invalid device tag");
}

static void sounds(void) {
  const WbDeviceTag speaker = find("speaker");
  const WbDeviceTag microphone = find("microphone");
  wb_speaker_play_sound(speaker, speaker, "horn.wav", 1.0, 1.0, 0.0, false);
  EXPECT_MESSAGE("Warning: wb_speaker_play_sound(): servosim makes no sounds");
  EXPECT(!wb_speaker_is_sound_playing(speaker, "horn.wav"));
  wb_speaker_stop(speaker, NULL);
  EXPECT_TEXT(wb_speaker_get_engine(speaker), "pico");
  EXPECT_TEXT(wb_speaker_get_language(speaker), "en-US");
  EXPECT(wb_speaker_set_language(speaker, "it-IT"));
  EXPECT_TEXT(wb_speaker_get_language(speaker), "it-IT");
  EXPECT(wb_speaker_set_engine(speaker, "microsoft"));
  wb_speaker_speak(speaker, "hello", 0.5);
  EXPECT(!wb_speaker_is_speaking(speaker));
  EXPECT_SILENCE();
  EXPECT(!wb_speaker_set_engine(speaker, "espeak"));
  EXPECT_MESSAGE("Error: wb_speaker_set_engine(): ");
  wb_speaker_speak(speaker, "hello", 1.5);
  EXPECT_MESSAGE("Error: wb_speaker_speak(): the volume");
  wb_microphone_enable(microphone, kStep);
  EXPECT(wb_microphone_get_sampling_period(microphone) == kStep);
  EXPECT(wb_microphone_get_sample_size(microphone) == 0);
  EXPECT(wb_microphone_get_sample_data(microphone) == NULL);
  wb_microphone_disable(microphone);
  EXPECT_MESSAGE("wb_microphone_get_sample_size(): servosim makes no sounds");
}

static void small_devices(void) {
  const WbDeviceTag led = find("led");
  const WbDeviceTag pen = find("pen");
  EXPECT(wb_led_get(led) == 0);
  wb_led_set(led, 0xff8000);
  EXPECT(wb_led_get(led) == 0xff8000);
  wb_pen_write(pen, true);
  wb_pen_set_ink_color(pen, 0xff, 0.25);
  EXPECT_SILENCE();
  wb_pen_set_ink_color(pen, 0xff, NAN);
  EXPECT_MESSAGE("Error: wb_pen_set_ink_color(): the density is no number");
  wb_pen_write(led, true);
  EXPECT_MESSAGE("Error: wb_pen_write(): invalid device tag");
  EXPECT(wb_skin_get_bone_count(led) == 0);
  EXPECT_MESSAGE("Error: wb_skin_get_bone_count(): invalid device tag");
  wb_robot_step(kStep);
  EXPECT_SILENCE();
}

static void nobody(void) {
  int size = 5;
  EXPECT(wb_keyboard_get_key() == -1);
  EXPECT_MESSAGE("Error: wb_keyboard_get_key() called for a disabled device");
  wb_keyboard_enable(kStep);
  EXPECT(wb_keyboard_get_sampling_period() == kStep && wb_keyboard_get_key() == -1);
  wb_keyboard_disable();
  wb_mouse_enable(kStep);
  EXPECT(wb_mouse_get_sampling_period() == kStep);
  wb_mouse_enable_3d_position();
  EXPECT(wb_mouse_is_3d_position_enabled());
  EXPECT(!wb_mouse_get_state().left);
  EXPECT_NAN(wb_mouse_get_state_pointer()->x);
  wb_mouse_disable_3d_position();
  EXPECT(!wb_mouse_is_3d_position_enabled());
  wb_mouse_disable();
  wb_joystick_enable(kStep);
  EXPECT(wb_joystick_get_sampling_period() == kStep);
  EXPECT(!wb_joystick_is_connected() && wb_joystick_get_model() == NULL);
  EXPECT(wb_joystick_get_number_of_axes() == 0 && wb_joystick_get_axis_value(0) == 0);
  EXPECT(wb_joystick_get_number_of_povs() == 0 && wb_joystick_get_pov_value(0) == 0);
  EXPECT(wb_joystick_get_pressed_button() == -1);
  wb_joystick_set_constant_force(1);
  wb_joystick_set_constant_force_duration(1.0);
  wb_joystick_set_auto_centering_gain(1.0);
  wb_joystick_set_resistance_gain(1.0);
  wb_joystick_set_force_axis(0);
  wb_joystick_disable();
  wb_robot_wwi_send_text("configure");
  EXPECT(wb_robot_wwi_receive(&size) == NULL && size == 0);
  EXPECT(wb_robot_wwi_receive_text() == NULL);
  EXPECT(wb_robot_window_custom_function(&size) == NULL);
  EXPECT(wb_remote_control_custom_function(&size) == NULL);
  wbu_default_robot_window_configure();
  wbu_default_robot_window_update();
  wbu_default_robot_window_set_images_max_size(9, 9);
  wbu_generic_robot_window_init();
  wbu_generic_robot_window_update();
  EXPECT(wbu_generic_robot_window_is_hidden() && !wbu_generic_robot_window_needs_update());
  EXPECT(!wbu_generic_robot_window_handle_messages("x"));
  EXPECT(!wbu_generic_robot_window_parse_device_command(NULL, NULL));
  EXPECT(!wbu_generic_robot_window_parse_device_control_command(NULL, NULL));
  EXPECT_IS(wbu_generic_robot_window_refresh_rate(), 0.0);
  EXPECT_SILENCE();
}

int main(void) {
  api_begin();
  wb_robot_init();
  cameras();
  rangers();
  sounds();
  small_devices();
  nobody();
  wb_robot_cleanup();
  if (getenv("SERVOSIM_WORLD") != NULL) /* a run tells it itself */
    EXPECT_MESSAGE("it lacks what ");
  return api_end();
}

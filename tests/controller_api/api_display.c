/* SPDX-License-Identifier: Apache-2.0 */
/* Draws on a Display, which a Camera sees, and checks every error. */
#include <stdlib.h>
#include <webots/camera.h>
#include <webots/display.h>
#include <webots/robot.h>

#include "api.h"

enum { kStep = 16 };

static WbDeviceTag camera, display, second;

/* What the Camera sees at a place after a step: 0xRRGGBB. */
static int seen(int x, int y) {
  const unsigned char *image = wb_camera_get_image(camera);
  const int width = wb_camera_get_width(camera);
  return 65536 * wb_camera_image_get_red(image, width, x, y) +
         256 * wb_camera_image_get_green(image, width, x, y) +
         wb_camera_image_get_blue(image, width, x, y);
}

static void fill(double alpha, int color) {
  wb_display_set_alpha(display, alpha);
  wb_display_set_color(display, color);
  wb_display_fill_rectangle(display, 0, 0, 64, 48);
}

static void drawing(void) {
  const int x[] = {1, 62, 62};
  const int y[] = {40, 40, 44};
  EXPECT(wb_display_get_width(display) == 64 && wb_display_get_height(display) == 48);
  wb_camera_enable(camera, kStep);
  wb_robot_step(kStep);
  EXPECT(seen(40, 40) == 0);
  fill(1.0, 0xffffff);
  wb_robot_step(kStep);
  EXPECT(seen(20, 40) == 0xcfcfcf && seen(60, 40) == 0xcfcfcf);
  fill(0.0, 0);
  wb_display_set_alpha(display, 1.0);
  wb_display_set_color(display, 0x00ff00);
  wb_display_fill_rectangle(display, 0, 0, 32, 48);
  wb_robot_step(kStep);
  EXPECT(seen(20, 40) == 0x00cf00 && seen(60, 40) == 0xff0000);
  fill(1.0, 0x0000ff);
  wb_display_set_color(display, 0xffffff);
  wb_display_draw_pixel(display, -5, 300);
  wb_display_draw_line(display, 0, 0, 63, 47);
  wb_display_draw_rectangle(display, 2, 2, 60, 44);
  wb_display_draw_oval(display, 32, 24, 9, 5);
  wb_display_draw_polygon(display, x, y, 3);
  wb_display_set_font(display, "Arial", 14, true);
  wb_display_draw_text(display, "text", 4, 4);
  wb_display_fill_oval(display, 50, 12, 6, 6);
  wb_display_fill_polygon(display, x, y, 3);
  wb_robot_step(kStep);
  EXPECT(seen(62, 20) == 0xcfcfcf && seen(78, 60) == 0x0000cf);
  EXPECT_SILENCE();
}

/* The same four bytes in each format. */
static void formats(void) {
  static const struct {
    int format;
    unsigned char pixel[4];
  } kFormats[] = {{WB_IMAGE_RGB, {255, 0, 128, 0}},
                  {WB_IMAGE_RGBA, {255, 0, 128, 255}},
                  {WB_IMAGE_ARGB, {255, 255, 0, 128}},
                  {WB_IMAGE_BGRA, {128, 0, 255, 255}},
                  {WB_IMAGE_ABGR, {255, 128, 0, 255}}};
  int i, x, y, expected = 0;
  for (i = 0; i < 5; ++i) {
    const WbImageRef pixel =
        wb_display_image_new(display, 1, 1, kFormats[i].pixel, kFormats[i].format);
    fill(1.0, 0);
    for (y = 20; y < 30; ++y)
      for (x = 26; x < 38; ++x) wb_display_image_paste(display, pixel, x, y, false);
    wb_display_image_delete(display, pixel);
    wb_robot_step(kStep);
    if (i == 0) expected = seen(40, 40);
    EXPECT(expected >> 8 == 0xcf00 && (expected & 255) > 100 && (expected & 255) < 200);
    EXPECT(seen(40, 40) == expected);
  }
  EXPECT_SILENCE();
}

static void images(void) {
  const unsigned char rgb[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9};
  const unsigned char abgr[] = {255, 0, 0, 255};
  static unsigned char large[4 * 1500 * 1500];
  const WbImageRef made = wb_display_image_new(display, 2, 2, rgb, WB_IMAGE_RGB);
  const WbImageRef red = wb_display_image_new(display, 1, 1, abgr, WB_IMAGE_ABGR);
  WbImageRef copy, loaded, huge;
  int i;
  EXPECT(made != NULL && red != NULL && made != red);
  fill(1.0, 0);
  for (i = 0; i < 64 * 48; ++i) wb_display_image_paste(display, red, i % 64, i / 64, false);
  wb_display_image_paste(display, made, 0, 0, true);
  wb_robot_step(kStep);
  EXPECT(seen(40, 40) == 0xcf0000);
  copy = wb_display_image_copy(display, 0, 0, 2, 2);
  wb_display_image_save(display, copy, "copy.png");
  loaded = wb_display_image_load(display, "copy.png");
  remove("copy.png");
  EXPECT(loaded != NULL);
  fill(1.0, 0);
  for (i = 0; i < 32 * 24; ++i)
    wb_display_image_paste(display, loaded, 2 * (i % 32), 2 * (i / 32), false);
  wb_robot_step(kStep);
  wb_display_image_save(display, NULL, "whole.jpg");
  loaded = wb_display_image_load(display, "whole.jpg");
  EXPECT(loaded != NULL);
  remove("whole.jpg");
  /* More than fits into a message. */
  for (i = 0; i < (int)sizeof large; ++i) large[i] = (unsigned char)(i % 4 == 3 ? 255 : i / 6000);
  huge = wb_display_image_new(second, 1500, 1500, large, WB_IMAGE_RGBA);
  wb_display_image_paste(second, huge, 0, 0, false);
  wb_display_image_save(second, NULL, "huge.png");
  loaded = wb_display_image_load(second, "huge.png");
  EXPECT(loaded != NULL);
  remove("huge.png");
  EXPECT_SILENCE();
  wb_display_image_paste(display, loaded, 0, 0, false);
  EXPECT_MESSAGE(
      "Error: wb_display_image_paste(): invalid WbImageRef created by a different Display");
  wb_display_image_paste(display, (WbImageRef)&i, 0, 0, false);
  EXPECT_MESSAGE("Error: wb_display_image_paste(): invalid WbImageRef argument.");
  wb_display_image_delete(display, made);
  EXPECT_SILENCE();
  wb_display_image_delete(display, made);
  EXPECT_MESSAGE("Error: wb_display_image_delete(): invalid WbImageRef argument.");
  wb_display_image_save(display, NULL, "display.bmp");
  EXPECT_MESSAGE(
      "Error: wb_display_image_save(): unsupported file format. Supported file formats are "
      "\".jpg\" "
      "and \".png\".");
  EXPECT(wb_display_image_load(display, "no such file.png") == NULL);
  EXPECT_MESSAGE("Error: wb_display_image_load(): the \"no such file.png\" image is unreadable.");
  EXPECT(wb_display_image_copy(display, 0, 0, 0, 10) == NULL);
  EXPECT_MESSAGE("Error: wb_display_image_copy(): 'width' or 'height' argument is invalid.");
  EXPECT(wb_display_image_new(display, -2, 2, rgb, WB_IMAGE_RGB) == NULL);
  EXPECT_MESSAGE("Error: wb_display_image_new(): 'width' or 'height' argument is invalid.");
  EXPECT(wb_display_image_new(display, 2, 2, rgb, 9) == NULL);
  EXPECT_MESSAGE("Error: wb_display_image_new(): 'format' argument is invalid.");
  EXPECT(wb_display_image_new(display, 2, 2, NULL, WB_IMAGE_RGB) == NULL);
  EXPECT_MESSAGE("Error: wb_display_image_new(): 'data' argument is NULL.");
}

static void errors(void) {
  const int x[] = {1, 2, 5};
  wb_display_set_color(display, -1);
  EXPECT_MESSAGE("Error: wb_display_set_color(): 'color' argument out of bounds.");
  wb_display_set_alpha(display, 1.5);
  EXPECT_MESSAGE("Error: wb_display_set_alpha(): 'alpha' argument out of bounds.");
  wb_display_set_opacity(display, -0.5);
  EXPECT_MESSAGE("Error: wb_display_set_opacity(): 'opacity' argument out of bounds.");
  wb_display_fill_rectangle(display, 0, 0, 0, 9);
  EXPECT_MESSAGE("Error: wb_display_fill_rectangle(): 'width' argument is negative or null.");
  wb_display_draw_rectangle(display, 0, 0, 9, -1);
  EXPECT_MESSAGE("Error: wb_display_draw_rectangle(): 'height' argument is negative or null.");
  wb_display_draw_oval(display, 0, 0, 0, 9);
  EXPECT_MESSAGE(
      "Error: wb_display_draw_oval(): 'horizontal_radius' argument is negative or null.");
  wb_display_fill_oval(display, 0, 0, 9, 0);
  EXPECT_MESSAGE("Error: wb_display_fill_oval(): 'vertical_radius' argument is negative or null.");
  wb_display_draw_polygon(display, x, x, 0);
  EXPECT_MESSAGE("Error: wb_display_draw_polygon(): 'size' argument is negative or null.");
  wb_display_draw_polygon(display, x, x, 8388609);
  EXPECT_MESSAGE("Error: wb_display_draw_polygon(): a polygon has more than 8388608 corners.");
  wb_display_draw_text(display, "", 0, 0);
  EXPECT_MESSAGE("Error: wb_display_draw_text(): 'text' argument is NULL or empty.");
  wb_display_draw_pixel(camera, 0, 0);
  EXPECT_MESSAGE("Error: wb_display_draw_pixel(): invalid device tag");
  EXPECT(wb_display_get_width(camera) == -1);
  EXPECT_MESSAGE("Error: wb_display_get_width(): invalid device tag");
  wb_display_detach_camera(display);
  EXPECT_MESSAGE("Error: wb_display_detach_camera(): no camera to detach.");
  wb_display_attach_camera(display, display);
  EXPECT_MESSAGE("Error: wb_display_attach_camera(): invalid camera.");
  wb_display_attach_camera(camera, camera);
  EXPECT_MESSAGE("Error: wb_display_attach_camera(): invalid display.");
}

/* The other camera sees a red sky, whose colour the display shows. */
static void attached(void) {
  const WbDeviceTag other = wb_robot_get_device("other");
  wb_camera_enable(other, kStep);
  wb_display_attach_camera(display, other);
  wb_display_attach_camera(display, other);
  EXPECT_MESSAGE("Error: wb_display_attach_camera(): a camera is already attached to the display.");
  fill(0.0, 0);
  wb_robot_step(kStep);
  wb_robot_step(kStep);
  EXPECT(seen(40, 40) == 0xff0000); /* as bright as the sky */
  const WbImageRef copy = wb_display_image_copy(display, 0, 0, 64, 48);
  wb_display_detach_camera(display);
  wb_robot_step(kStep);
  EXPECT(seen(40, 40) == 0xff0000); /* the sky behind */
  wb_display_image_paste(display, copy, 0, 0, false);
  wb_robot_step(kStep);
  EXPECT(seen(40, 40) == 0xcf0000); /* a copy has bytes, and no light */
  wb_display_image_delete(display, copy);
  fill(0.0, 0);
  EXPECT_SILENCE();
}

/* Between the halves of a step calls are kept, as far as there is room. */
static void between(void) {
  static unsigned char large[4 * 1500 * 1500];
  wb_robot_step_begin(kStep);
  fill(1.0, 0x00ff00);
  EXPECT(wb_display_image_new(second, 1500, 1500, large, WB_IMAGE_RGBA) == NULL);
  EXPECT_MESSAGE("Error: wb_display_image_new(): more than 8 MiB are drawn between");
  wb_display_image_save(display, NULL, "late.png");
  EXPECT_MESSAGE("Error: wb_display_image_save(): not between wb_robot_step_begin()");
  wb_robot_step_end();
  EXPECT(seen(40, 40) == 0xff0000);
  wb_robot_step(kStep);
  EXPECT(seen(40, 40) == 0x00cf00);
  EXPECT_SILENCE();
}

int main(void) {
  api_begin();
  wb_robot_init();
  camera = wb_robot_get_device("camera");
  display = wb_robot_get_device("display");
  second = wb_robot_get_device("second");
  EXPECT(camera != 0 && display != 0 && second != 0);
  drawing();
  formats();
  images();
  errors();
  attached();
  between();
  wb_robot_cleanup();
  return api_end();
}

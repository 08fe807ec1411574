/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_DISPLAY_H
#define WB_DISPLAY_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is drawn is seen from the next step on: by Cameras and infra-red DistanceSensors, on the
 * Shapes of the first child of the Display that have an ImageTexture. Calls act in their order. At
 * most 8 MiB can be drawn between wb_robot_step_begin() and wb_robot_step_end(). */

#define WB_IMAGE_RGB 3
#define WB_IMAGE_RGBA 4
#define WB_IMAGE_ARGB 5
#define WB_IMAGE_BGRA 6
#define WB_IMAGE_ABGR 7

/* The field width [pixels]; -1 for a tag of no Display. */
int wb_display_get_width(WbDeviceTag tag);
/* The field height [pixels]; -1 for a tag of no Display. */
int wb_display_get_height(WbDeviceTag tag);

/* The colour of what is drawn next, 0xRRGGBB; another number is an error. */
void wb_display_set_color(WbDeviceTag tag, int color);
/* The alpha of the pixels that are drawn next, in [0, 1]; another number is an error. */
void wb_display_set_alpha(WbDeviceTag tag, double alpha);
/* How much new pixels cover the old ones, in [0, 1]; another number is an error. */
void wb_display_set_opacity(WbDeviceTag tag, double opacity);
/* `size` is 1 or more [pixels], at most 512 counts; `font` must not be NULL or empty. It is the
 * file NAME.ttf in `fonts/` of the project or of an installation of Webots. For common names, such
 * as Arial, there is a substitute; for others the simulation warns, and the font stays. */
void wb_display_set_font(WbDeviceTag tag, const char *font, int size, bool anti_aliasing);

/* Shows the pictures of a Camera of the same robot below what is drawn, as far as that is
 * translucent. The Camera should be enabled and have the size of the Display. */
void wb_display_attach_camera(WbDeviceTag tag, WbDeviceTag camera_tag);
/* An error unless a Camera is attached. */
void wb_display_detach_camera(WbDeviceTag tag);

/* Coordinates are in pixels from the upper left corner. What is outside of the display is allowed.
 */
void wb_display_draw_pixel(WbDeviceTag tag, int x, int y);
void wb_display_draw_line(WbDeviceTag tag, int x1, int y1, int x2, int y2);
/* All widths, heights and radii are 1 or more [pixels], radii at most 65536. */
void wb_display_draw_rectangle(WbDeviceTag tag, int x, int y, int width, int height);
void wb_display_draw_oval(WbDeviceTag tag, int cx, int cy, int a, int b);
/* `size` corners, 1 or more; neither list may be NULL. */
void wb_display_draw_polygon(WbDeviceTag tag, const int *x, const int *y, int size);
/* The text, in UTF-8, must not be NULL or empty; its upper left corner is at x, y. */
void wb_display_draw_text(WbDeviceTag tag, const char *text, int x, int y);
void wb_display_fill_rectangle(WbDeviceTag tag, int x, int y, int width, int height);
void wb_display_fill_oval(WbDeviceTag tag, int cx, int cy, int a, int b);
void wb_display_fill_polygon(WbDeviceTag tag, const int *x, const int *y, int size);

/* An image of `width` * `height` pixels from `data`, in one of the formats above, whose letters are
 * the bytes of a pixel in their order. NULL for NULL data, a size below 1, more than 16,777,216
 * pixels or another format. The program deletes it by wb_display_image_delete(). */
WbImageRef wb_display_image_new(WbDeviceTag tag, int width, int height, const void *data,
                                int format);
/* An image of a part of the display, with the picture of an attached Camera. What is outside of the
 * display is left out of it. NULL for a size below 1. */
WbImageRef wb_display_image_copy(WbDeviceTag tag, int x, int y, int width, int height);
/* An image from a PNG or JPEG file; NULL if there is none that can be read, and between
 * wb_robot_step_begin() and wb_robot_step_end(). */
WbImageRef wb_display_image_load(WbDeviceTag tag, const char *filename);
/* Deletes an image; another pointer is an error. */
void wb_display_image_delete(WbDeviceTag tag, WbImageRef ir);
/* Puts an image at x, y: with `blend` over the pixels by its alpha, else in their place. */
void wb_display_image_paste(WbDeviceTag tag, WbImageRef ir, int x, int y, bool blend);
/* Writes an image, or for NULL the display with the picture of an attached Camera, to a .png or
 * .jpg file. Another kind of file is an error, and so is a call between wb_robot_step_begin() and
 * wb_robot_step_end(). */
void wb_display_image_save(WbDeviceTag tag, WbImageRef ir, const char *filename);

#ifdef __cplusplus
}
#endif

#endif /* WB_DISPLAY_H */

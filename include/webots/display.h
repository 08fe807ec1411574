/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_DISPLAY_H
#define WB_DISPLAY_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything is checked and accepted, and nothing is drawn. */

#define WB_IMAGE_RGB 3
#define WB_IMAGE_RGBA 4
#define WB_IMAGE_ARGB 5
#define WB_IMAGE_BGRA 6
#define WB_IMAGE_ABGR 7

/* Fields of the Display [pixels]. */
int wb_display_get_width(WbDeviceTag tag);
int wb_display_get_height(WbDeviceTag tag);

/* 0xRRGGBB */
void wb_display_set_color(WbDeviceTag tag, int color);
/* in [0, 1] */
void wb_display_set_alpha(WbDeviceTag tag, double alpha);
void wb_display_set_opacity(WbDeviceTag tag, double opacity);
void wb_display_set_font(WbDeviceTag tag, const char *font, int size, bool anti_aliasing);

void wb_display_attach_camera(WbDeviceTag tag, WbDeviceTag camera_tag);
void wb_display_detach_camera(WbDeviceTag tag);

void wb_display_draw_pixel(WbDeviceTag tag, int x, int y);
void wb_display_draw_line(WbDeviceTag tag, int x1, int y1, int x2, int y2);
/* Sizes are 1 or more. */
void wb_display_draw_rectangle(WbDeviceTag tag, int x, int y, int width, int height);
void wb_display_draw_oval(WbDeviceTag tag, int cx, int cy, int a, int b);
/* 3 corners or more. */
void wb_display_draw_polygon(WbDeviceTag tag, const int *x, const int *y, int size);
void wb_display_draw_text(WbDeviceTag tag, const char *text, int x, int y);
void wb_display_fill_rectangle(WbDeviceTag tag, int x, int y, int width, int height);
void wb_display_fill_oval(WbDeviceTag tag, int cx, int cy, int a, int b);
void wb_display_fill_polygon(WbDeviceTag tag, const int *x, const int *y, int size);

/* Images are objects without pixels; NULL after an error. To be deleted. */
WbImageRef wb_display_image_new(WbDeviceTag tag, int width, int height, const void *data,
                                int format);
WbImageRef wb_display_image_copy(WbDeviceTag tag, int x, int y, int width, int height);
/* NULL if there is no such file. */
WbImageRef wb_display_image_load(WbDeviceTag tag, const char *filename);
void wb_display_image_delete(WbDeviceTag tag, WbImageRef ir);
void wb_display_image_paste(WbDeviceTag tag, WbImageRef ir, int x, int y, bool blend);
/* Writes a black picture, to .png files only. */
void wb_display_image_save(WbDeviceTag tag, WbImageRef ir, const char *filename);

#ifdef __cplusplus
}
#endif

#endif /* WB_DISPLAY_H */

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_DISPLAY_H
#define WB_DISPLAY_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls are checked and accepted, but servosim draws nothing on a Display. A message
 * says so once for each Display. */

#define WB_IMAGE_RGB 3
#define WB_IMAGE_RGBA 4
#define WB_IMAGE_ARGB 5
#define WB_IMAGE_BGRA 6
#define WB_IMAGE_ABGR 7

/* The field width [pixels]. */
int wb_display_get_width(WbDeviceTag tag);
/* The field height [pixels]. */
int wb_display_get_height(WbDeviceTag tag);

/* The colour of what is drawn next, 0xRRGGBB; another number is an error. */
void wb_display_set_color(WbDeviceTag tag, int color);
/* The opacity of what is drawn next, in [0, 1]; another number is an error. */
void wb_display_set_alpha(WbDeviceTag tag, double alpha);
/* How much new pixels cover the old ones, in [0, 1]; another number is an error. */
void wb_display_set_opacity(WbDeviceTag tag, double opacity);
/* `size` is 1 or more; `font` must not be NULL or empty. Whether there is such a font is not
 * checked. */
void wb_display_set_font(WbDeviceTag tag, const char *font, int size, bool anti_aliasing);

/* Checks both tags; no picture is copied. */
void wb_display_attach_camera(WbDeviceTag tag, WbDeviceTag camera_tag);
void wb_display_detach_camera(WbDeviceTag tag);

/* Coordinates are in pixels from the upper left corner. What is outside of the display is allowed.
 */
void wb_display_draw_pixel(WbDeviceTag tag, int x, int y);
void wb_display_draw_line(WbDeviceTag tag, int x1, int y1, int x2, int y2);
/* All widths, heights and radii are 1 or more [pixels]. */
void wb_display_draw_rectangle(WbDeviceTag tag, int x, int y, int width, int height);
void wb_display_draw_oval(WbDeviceTag tag, int cx, int cy, int a, int b);
/* `size` corners, 3 or more; neither list may be NULL. */
void wb_display_draw_polygon(WbDeviceTag tag, const int *x, const int *y, int size);
/* The text must not be NULL; its upper left corner is at x, y. */
void wb_display_draw_text(WbDeviceTag tag, const char *text, int x, int y);
void wb_display_fill_rectangle(WbDeviceTag tag, int x, int y, int width, int height);
void wb_display_fill_oval(WbDeviceTag tag, int cx, int cy, int a, int b);
void wb_display_fill_polygon(WbDeviceTag tag, const int *x, const int *y, int size);

/* An image of `width` * `height` pixels from `data`, in one of the formats above. Its pixels are
 * not kept. NULL for NULL data, a size below 1 or another format. The program deletes it by
 * wb_display_image_delete(). */
WbImageRef wb_display_image_new(WbDeviceTag tag, int width, int height, const void *data,
                                int format);
/* An image of a part of the display, which must be inside of it, else NULL. */
WbImageRef wb_display_image_copy(WbDeviceTag tag, int x, int y, int width, int height);
/* An image from a file; NULL if there is no such file. A PNG file gives its size; an image of
 * another format counts as large as the display. */
WbImageRef wb_display_image_load(WbDeviceTag tag, const char *filename);
/* Deletes an image; another pointer is an error. */
void wb_display_image_delete(WbDeviceTag tag, WbImageRef ir);
/* Checks the image; nothing is drawn. */
void wb_display_image_paste(WbDeviceTag tag, WbImageRef ir, int x, int y, bool blend);
/* Writes a black picture of the image's size, or of the display's for NULL, to a .png or .jpg file.
 * Another kind of file is an error. A run whose controller saves a picture is incomplete (exit code
 * 3). */
void wb_display_image_save(WbDeviceTag tag, WbImageRef ir, const char *filename);

#ifdef __cplusplus
}
#endif

#endif /* WB_DISPLAY_H */

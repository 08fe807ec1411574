/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_API6_SUPERVISOR_H
#define WB_API6_SUPERVISOR_H

/* Macros that let programs of Webots 5 to 8 call functions of the Supervisor with the number of
 * arguments of their time. Calls with the arguments of today work too. webots/supervisor.h includes
 * this header where SERVOSIM_WEBOTS_API is defined. */

#include <webots/supervisor.h>

/* The argument after the first seven or eight chooses a function by the number of arguments. */
#define SERVOSIM_SEVENTH(a, b, c, d, e, f, g, name, ...) name
#define SERVOSIM_EIGHTH(a, b, c, d, e, f, g, h, name, ...) name

/* Labels had no font before V8.5: seven arguments take Arial. */
static inline void servosim_set_label_7(int id, const char *text, double x, double y, double size,
                                        int color, double transparency) {
  wb_supervisor_set_label(id, text, x, y, size, color, transparency, "Arial");
}
static inline void servosim_set_label_8(int id, const char *text, double x, double y, double size,
                                        int color, double transparency, const char *font) {
  wb_supervisor_set_label(id, text, x, y, size, color, transparency, font);
}
#define wb_supervisor_set_label(...)                                          \
  SERVOSIM_EIGHTH(__VA_ARGS__, servosim_set_label_8, servosim_set_label_7, 0) \
  (__VA_ARGS__)

/* Movies had neither acceleration nor caption before V7.2.2: five arguments mean an acceleration of
 * 1 and no caption. Nothing is recorded in either case. */
static inline void servosim_start_movie_5(const char *file, int width, int height, int type,
                                          int quality) {
  wb_supervisor_start_movie(file, width, height, type, quality, 1, 0);
}
static inline void servosim_start_movie_7(const char *file, int width, int height, int codec,
                                          int quality, int acceleration, bool caption) {
  wb_supervisor_start_movie(file, width, height, codec, quality, acceleration, caption);
}
#define wb_supervisor_start_movie(...)                                                \
  SERVOSIM_SEVENTH(__VA_ARGS__, servosim_start_movie_7, 0, servosim_start_movie_5, 0) \
  (__VA_ARGS__)

/* wb_supervisor_simulation_quit() had no status before V6.3.0: no argument means 0. */
#define wb_supervisor_simulation_quit(...) (wb_supervisor_simulation_quit)(0 + __VA_ARGS__ + 0)

/* Imports a node from a file into the children of the root node, before item `position`; -1
 * appends. */
static inline void wb_supervisor_import_node(const char *filename, int position) {
  wb_supervisor_field_import_mf_node(
      wb_supervisor_node_get_field(wb_supervisor_node_get_root(), "children"), position, filename);
}

#endif /* WB_API6_SUPERVISOR_H */

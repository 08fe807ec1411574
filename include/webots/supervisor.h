/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_SUPERVISOR_H
#define WB_SUPERVISOR_H

#include <webots/contact_point.h>
#include <webots/nodes.h>
#include <webots/robot.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Only a robot whose field supervisor is TRUE may call these functions; for others they are errors
 * and do nothing. A call that cannot be done prints a message on stderr and returns NULL, 0, false
 * or NaN.
 *
 * A change acts before the next step. A query is answered at once, with the present state, which
 * includes earlier changes; nothing has to be enabled to be read. A query of places or contacts
 * after a change may rebuild the simulation, so a program sets first and queries then. Between
 * wb_robot_step_begin() and wb_robot_step_end() there are no queries; changes act when that step is
 * over.
 *
 * A reference to a node or field stays valid until the controller ends; calls with one of a removed
 * node are errors. A returned pointer to numbers or a text stays valid until the next call of the
 * same function for the same node or field. docs/reference/supervisor.md has more, and how much a
 * change costs. */

/* The type of a field. That of an MF field is WB_MF and the type of its items. */
typedef enum {
  WB_NO_FIELD = 0x00,
  WB_SF_BOOL = 0x01,
  WB_SF_INT32,
  WB_SF_FLOAT,
  WB_SF_VEC2F,
  WB_SF_VEC3F,
  WB_SF_ROTATION,
  WB_SF_COLOR,
  WB_SF_STRING,
  WB_SF_NODE,
  WB_MF = 0x10,
  WB_MF_BOOL,
  WB_MF_INT32,
  WB_MF_FLOAT,
  WB_MF_VEC2F,
  WB_MF_VEC3F,
  WB_MF_ROTATION,
  WB_MF_COLOR,
  WB_MF_STRING,
  WB_MF_NODE
} WbFieldType;

/* The speed that a supervisor wants: none, that of a clock, or as fast as possible. */
typedef enum {
  WB_SUPERVISOR_SIMULATION_MODE_PAUSE = 0,
  WB_SUPERVISOR_SIMULATION_MODE_REAL_TIME,
  WB_SUPERVISOR_SIMULATION_MODE_FAST
} WbSimulationMode;

/* Older releases had this mode between real time and fast. */
#define WB_SUPERVISOR_SIMULATION_MODE_RUN WB_SUPERVISOR_SIMULATION_MODE_FAST

/* ---- the world and the simulation */

/* Ends this run of the world, with all controllers, and begins that of another file. `filename` is
 * relative to the working directory of the controller. */
void wb_supervisor_world_load(const char *filename);
/* Does the same with the world's own file: fields and removed nodes are as at the start, and
 * controllers start again. */
void wb_supervisor_world_reload(void);
/* Writes the world as it is now, to a file relative to the working directory of the controller;
 * NULL: over its own file. The file is replaced as a whole, so its folder must be writable. Returns
 * whether that was done. */
bool wb_supervisor_world_save(const char *filename);

/* Ends the simulation; `status` becomes the exit status of the simulator. The request is sent at
 * once, and the next step returns -1. */
void wb_supervisor_simulation_quit(int status);
/* Goes back to the world as it was loaded, at time 0, at the end of the next basic step.
 * Controllers go on, added nodes are removed, and enabled sensors have a new sample. Fields that
 * are not places, positions, velocities or charges keep their values, and removed nodes stay away.
 */
void wb_supervisor_simulation_reset(void);
/* Stops every Solid, and lets motors start from rest. */
void wb_supervisor_simulation_reset_physics(void);
/* The mode that was set last. It is stored, and changes nothing: the options of the run choose its
 * speed. */
WbSimulationMode wb_supervisor_simulation_get_mode(void);
/* Another number than those above is an error. */
void wb_supervisor_simulation_set_mode(WbSimulationMode mode);

/* ---- pictures: accepted, and nothing is drawn */

/* A text over the picture. It is stored, and a trace has it until a reset.
 * - x and y of its upper left corner, `size` and `transparency` are in [0, 1]; other numbers are
 *   errors
 * - `color` is 0xRRGGBB
 * - `text` and `font` must not be NULL */
void wb_supervisor_set_label(int id, const char *text, double x, double y, double size, int color,
                             double transparency, const char *font);

/* Writes no file: the run is incomplete (exit code 3, kind `pictures`), which a message says once.
 * `quality` is from 1 to 100. */
void wb_supervisor_export_image(const char *filename, int quality);
/* Writes no file either, with the same consequences. */
void wb_supervisor_movie_start_recording(const char *filename, int width, int height, int codec,
                                         int quality, int acceleration, bool caption);
void wb_supervisor_movie_stop_recording(void);
/* Always true: no movie is being recorded. */
bool wb_supervisor_movie_is_ready(void);
/* Always false. */
bool wb_supervisor_movie_failed(void);
/* False: nothing is recorded. Both return it, after a check of their arguments. */
bool wb_supervisor_animation_start_recording(const char *filename);
bool wb_supervisor_animation_stop_recording(void);
/* It only checks its argument. */
void wb_supervisor_node_move_viewpoint(WbNodeRef node);
/* Shows or hides a node, with what is below it, for one Camera, RangeFinder or Lidar; for a
 * Viewpoint it has no effect. */
void wb_supervisor_node_set_visibility(WbNodeRef node, WbNodeRef from, bool visible);
/* There is no headset: always false, and NULL for its place. */
bool wb_supervisor_virtual_reality_headset_is_used(void);
const double *wb_supervisor_virtual_reality_headset_get_position(void);
const double *wb_supervisor_virtual_reality_headset_get_orientation(void);

/* ---- finding nodes */

/* The root node, whose field children has the nodes of the world. */
WbNodeRef wb_supervisor_node_get_root(void);
/* The robot of this controller. */
WbNodeRef wb_supervisor_node_get_self(void);
/* Always NULL: there is no window to select a node in. */
WbNodeRef wb_supervisor_node_get_selected(void);
/* The number of the node, for wb_supervisor_node_get_from_id(); 0 for the root. -1 after an error.
 */
int wb_supervisor_node_get_id(WbNodeRef node);
/* The node of that number; NULL if there is none any more. */
WbNodeRef wb_supervisor_node_get_from_id(int id);
/* The node of a device; that of the robot for tag 0. */
WbNodeRef wb_supervisor_node_get_from_device(WbDeviceTag tag);
/* The node with a DEF name, or with a path of DEF names joined by dots, each below the one before,
 * such as "ARM.HAND". NULL if there is none. Nodes inside of a PROTO instance are not found. */
WbNodeRef wb_supervisor_node_get_from_def(const char *def);
/* The same inside of the PROTO instance `node`. What is found there can only be read. */
WbNodeRef wb_supervisor_node_get_from_proto_def(WbNodeRef node, const char *def);
/* The node that holds it; NULL for the root. */
WbNodeRef wb_supervisor_node_get_parent_node(WbNodeRef node);

/* ---- what a node is */

/* The type of the node; for a PROTO instance that of the node it consists of. */
WbNodeType wb_supervisor_node_get_type(WbNodeRef node);
/* The name of its PROTO; for other nodes that of its type. */
const char *wb_supervisor_node_get_type_name(WbNodeRef node);
/* The name of its type; for a PROTO instance that of the node it consists of. */
const char *wb_supervisor_node_get_base_type_name(WbNodeRef node);
/* Its DEF name; "" without one. */
const char *wb_supervisor_node_get_def(WbNodeRef node);
/* Whether it is an instance of a PROTO. */
bool wb_supervisor_node_is_proto(WbNodeRef node);
/* Its PROTO; NULL if it is no instance of one. */
WbProtoRef wb_supervisor_node_get_proto(WbNodeRef node);

/* The name of the PROTO. */
const char *wb_supervisor_proto_get_type_name(WbProtoRef proto);
/* Whether the body of the PROTO is an instance of another PROTO. */
bool wb_supervisor_proto_is_derived(WbProtoRef proto);
/* That other PROTO; NULL if there is none. */
WbProtoRef wb_supervisor_proto_get_parent(WbProtoRef proto);
/* The fields of the interface of a PROTO: by name, by number from 0, and how many there are (-1
 * after an error). */
WbFieldRef wb_supervisor_proto_get_field(WbProtoRef proto, const char *field_name);
WbFieldRef wb_supervisor_proto_get_field_by_index(WbProtoRef proto, int index);
int wb_supervisor_proto_get_number_of_fields(WbProtoRef proto);

/* ---- fields of a node */

/* The fields of a node, by name or by number from 0, in Webots' order; for a PROTO instance the
 * fields of its PROTO. NULL if there is no such field; an index that is out of range is an error,
 * and so is a NULL name. The number of fields is -1 after an error. */
WbFieldRef wb_supervisor_node_get_field(WbNodeRef node, const char *field_name);
WbFieldRef wb_supervisor_node_get_field_by_index(WbNodeRef node, int index);
int wb_supervisor_node_get_number_of_fields(WbNodeRef node);
/* The fields of the node that a PROTO instance consists of. They can only be read. An error for
 * other nodes. */
WbFieldRef wb_supervisor_node_get_base_node_field(WbNodeRef node, const char *field_name);
WbFieldRef wb_supervisor_node_get_base_node_field_by_index(WbNodeRef node, int index);
int wb_supervisor_node_get_number_of_base_node_fields(WbNodeRef node);

/* The name of the field; "" after an error. */
const char *wb_supervisor_field_get_name(WbFieldRef field);
/* The type; WB_NO_FIELD after an error. */
WbFieldType wb_supervisor_field_get_type(WbFieldRef field);
/* The name of the type, such as "SFVec3f"; "" after an error. */
const char *wb_supervisor_field_get_type_name(WbFieldRef field);
/* The number of items of an MF field; -1 and an error for an SF field. */
int wb_supervisor_field_get_count(WbFieldRef field);
/* For a field inside of a PROTO instance, the field of the PROTO from which it has its value (IS),
 * which can be changed. For any other field, the field itself. */
WbFieldRef wb_supervisor_field_get_actual_field(WbFieldRef field);

/* The value of an SF field, in the unit of the field. Another type is an error: it returns false,
 * 0, NULL or "". Vectors have two or three numbers, a colour red, green and blue in [0, 1], and a
 * rotation the axis and the angle [rad]. */
bool wb_supervisor_field_get_sf_bool(WbFieldRef field);
int wb_supervisor_field_get_sf_int32(WbFieldRef field);
double wb_supervisor_field_get_sf_float(WbFieldRef field);
const double *wb_supervisor_field_get_sf_vec2f(WbFieldRef field);
const double *wb_supervisor_field_get_sf_vec3f(WbFieldRef field);
const double *wb_supervisor_field_get_sf_rotation(WbFieldRef field);
const double *wb_supervisor_field_get_sf_color(WbFieldRef field);
const char *wb_supervisor_field_get_sf_string(WbFieldRef field);
WbNodeRef wb_supervisor_field_get_sf_node(WbFieldRef field);
/* An item of an MF field, with the same rules. `index` counts from 0, and from the end when it is
 * negative: -1 is the last item. An index that is out of range is an error. */
bool wb_supervisor_field_get_mf_bool(WbFieldRef field, int index);
int wb_supervisor_field_get_mf_int32(WbFieldRef field, int index);
double wb_supervisor_field_get_mf_float(WbFieldRef field, int index);
const double *wb_supervisor_field_get_mf_vec2f(WbFieldRef field, int index);
const double *wb_supervisor_field_get_mf_vec3f(WbFieldRef field, int index);
const double *wb_supervisor_field_get_mf_color(WbFieldRef field, int index);
const double *wb_supervisor_field_get_mf_rotation(WbFieldRef field, int index);
const char *wb_supervisor_field_get_mf_string(WbFieldRef field, int index);
WbNodeRef wb_supervisor_field_get_mf_node(WbFieldRef field, int index);

/* Changes a field, before the next step; it reads back at once. Units are those of the field. NaN,
 * infinities, NULL, a field of another type and one that can only be read are errors. A value that
 * a world file may not have is replaced as in a file, and then reads back as replaced. */
void wb_supervisor_field_set_sf_bool(WbFieldRef field, bool value);
void wb_supervisor_field_set_sf_int32(WbFieldRef field, int value);
void wb_supervisor_field_set_sf_float(WbFieldRef field, double value);
void wb_supervisor_field_set_sf_vec2f(WbFieldRef field, const double values[2]);
void wb_supervisor_field_set_sf_vec3f(WbFieldRef field, const double values[3]);
void wb_supervisor_field_set_sf_rotation(WbFieldRef field, const double values[4]);
void wb_supervisor_field_set_sf_color(WbFieldRef field, const double values[3]);
void wb_supervisor_field_set_sf_string(WbFieldRef field, const char *value);
/* Changes an item; `index` counts as above. */
void wb_supervisor_field_set_mf_bool(WbFieldRef field, int index, bool value);
void wb_supervisor_field_set_mf_int32(WbFieldRef field, int index, int value);
void wb_supervisor_field_set_mf_float(WbFieldRef field, int index, double value);
void wb_supervisor_field_set_mf_vec2f(WbFieldRef field, int index, const double values[2]);
void wb_supervisor_field_set_mf_vec3f(WbFieldRef field, int index, const double values[3]);
void wb_supervisor_field_set_mf_rotation(WbFieldRef field, int index, const double values[4]);
void wb_supervisor_field_set_mf_color(WbFieldRef field, int index, const double values[3]);
void wb_supervisor_field_set_mf_string(WbFieldRef field, int index, const char *value);

/* Inserts an item before item `index`; the number of items, or -1, appends it. */
void wb_supervisor_field_insert_mf_bool(WbFieldRef field, int index, bool value);
void wb_supervisor_field_insert_mf_int32(WbFieldRef field, int index, int value);
void wb_supervisor_field_insert_mf_float(WbFieldRef field, int index, double value);
void wb_supervisor_field_insert_mf_vec2f(WbFieldRef field, int index, const double values[2]);
void wb_supervisor_field_insert_mf_vec3f(WbFieldRef field, int index, const double values[3]);
void wb_supervisor_field_insert_mf_rotation(WbFieldRef field, int index, const double values[4]);
void wb_supervisor_field_insert_mf_color(WbFieldRef field, int index, const double values[3]);
void wb_supervisor_field_insert_mf_string(WbFieldRef field, int index, const char *value);

/* Removes an item, also of an MFNode: then the node and everything below it. */
void wb_supervisor_field_remove_mf(WbFieldRef field, int index);
/* Makes an SFNode NULL. */
void wb_supervisor_field_remove_sf(WbFieldRef field);
/* Inserts a node, which is written as in a world file, before item `position` of an MFNode; -1
 * appends it. PROTOs are found as for the world. DEF names and USEs of the text are its own. A node
 * that the field cannot hold, and a text that cannot be read, are errors. */
void wb_supervisor_field_import_mf_node_from_string(WbFieldRef field, int position,
                                                    const char *node_string);
/* Puts such a node into an SFNode, which must be NULL. */
void wb_supervisor_field_import_sf_node_from_string(WbFieldRef field, const char *node_string);

/* ---- nodes as a whole */

/* Removes a node, also the robot of this controller, but not the root, WorldInfo or Viewpoint. The
 * controller of a removed robot sees the end of the simulation; the calling one does so after this
 * step. */
void wb_supervisor_node_remove(WbNodeRef node);
/* The node as it would be written in a world file, at its present place. */
const char *wb_supervisor_node_export_string(WbNodeRef node);

/* Stores, under a name, places and velocities, joint positions, locks of Connectors and charges of
 * batteries of the node and everything below it. A state named "__init__" exists from the start.
 * All supervisors share the states. */
void wb_supervisor_node_save_state(WbNodeRef node, const char *state_name);
/* Restores them as far as the nodes still exist. Motors then rest where their joints are. A name
 * without a state is an error. */
void wb_supervisor_node_load_state(WbNodeRef node, const char *state_name);
/* Puts a joint at `position` [rad|m]. `node` is a joint or its JointParameters; `index` counts the
 * axes of the joint from 1. A position beyond a stop becomes the stop, with a warning. The target
 * of a motor in position control becomes this position. */
void wb_supervisor_node_set_joint_position(WbNodeRef node, double position, int index);
/* Ends the controller of a robot before the next step, and starts it again. */
void wb_supervisor_node_restart_controller(WbNodeRef node);

/* ---- place and motion */

/* x, y, z of its origin in the world [m]; NaN for a node without a place. */
const double *wb_supervisor_node_get_position(WbNodeRef node);
/* Its rotation matrix in the world: 3x3 numbers, row after row. */
const double *wb_supervisor_node_get_orientation(WbNodeRef node);
/* 4x4 numbers, row after row, that take a point of the node to the frame of `from_node`; NULL: of
 * the world [m]. */
const double *wb_supervisor_node_get_pose(WbNodeRef node, WbNodeRef from_node);
/* x, y, z of the centre of mass of a Solid and everything below it, in the world [m]. */
const double *wb_supervisor_node_get_center_of_mass(WbNodeRef node);

/* The linear velocity of a Solid [m/s], at the centre of mass of its body, then the angular one
 * [rad/s], in the world's axes. A Solid without a velocity of its own has that of the Solid that
 * carries it. */
const double *wb_supervisor_node_get_velocity(WbNodeRef node);
/* Sets these six numbers, which must be finite. A Solid without Physics moves by them at each step.
 */
void wb_supervisor_node_set_velocity(WbNodeRef node, const double velocity[6]);
/* Stops a Solid and everything below it, and lets their motors start from rest. */
void wb_supervisor_node_reset_physics(WbNodeRef node);

/* Pushes a Solid in the next step [N, N·m]; forces add up. They are in the axes of the node if
 * `relative`, else in those of the world. The force acts at the centre of mass or at `offset` [m],
 * which is always in the axes of the node. For a Solid without Physics the first call is an error,
 * and later ones do nothing. */
void wb_supervisor_node_add_force(WbNodeRef node, const double force[3], bool relative);
void wb_supervisor_node_add_force_with_offset(WbNodeRef node, const double force[3],
                                              const double offset[3], bool relative);
void wb_supervisor_node_add_torque(WbNodeRef node, const double torque[3], bool relative);

/* The points at which a Solid touches others, perhaps with all below it; `size` is set to their
 * number. NULL if there is none, or after an error. */
WbContactPoint *wb_supervisor_node_get_contact_points(WbNodeRef node, bool include_descendants,
                                                      int *size);
/* The number of these points; -1 after an error. */
int wb_supervisor_node_get_number_of_contact_points(WbNodeRef node, bool include_descendants);
/* A point that the last call of wb_supervisor_node_get_number_of_contact_points() has counted, from
 * 0: x, y, z in the world [m]. NaN and an error for another index. */
const double *wb_supervisor_node_get_contact_point(WbNodeRef node, int index);
/* The Solid of that point: the requested one or one below it. */
WbNodeRef wb_supervisor_node_get_contact_point_node(WbNodeRef node, int index);
/* Whether the centre of mass of a Solid on the top level is above the polygon of the points where
 * it touches others. */
bool wb_supervisor_node_get_static_balance(WbNodeRef node);

/* Tracked values arrive with the answers of the steps, every `sampling_period` ms, 1 or more, so
 * that reading them costs no message. What is read is current with and without tracking. MF fields
 * cannot be tracked. */
void wb_supervisor_field_enable_sf_tracking(WbFieldRef field, int sampling_period);
void wb_supervisor_field_disable_sf_tracking(WbFieldRef field);
void wb_supervisor_node_enable_pose_tracking(WbNodeRef node, int sampling_period,
                                             WbNodeRef from_node);
void wb_supervisor_node_disable_pose_tracking(WbNodeRef node, WbNodeRef from_node);
void wb_supervisor_node_enable_contact_points_tracking(WbNodeRef node, int sampling_period,
                                                       bool include_descendants);
void wb_supervisor_node_disable_contact_points_tracking(WbNodeRef node);

/* ---- older releases: each of these functions does what the one that its comment names does */

/* wb_supervisor_node_enable_contact_points_tracking(), whose name had no plural. */
void wb_supervisor_node_enable_contact_point_tracking(WbNodeRef node, int sampling_period,
                                                      bool include_descendants);
/* wb_supervisor_node_disable_contact_points_tracking(); the flag is not used. */
void wb_supervisor_node_disable_contact_point_tracking(WbNodeRef node, bool include_descendants);
/* wb_supervisor_world_reload() */
void wb_supervisor_simulation_revert(void);
/* wb_supervisor_world_load() */
void wb_supervisor_load_world(const char *filename);
/* wb_supervisor_world_save() */
bool wb_supervisor_save_world(const char *filename);
/* wb_supervisor_field_remove_mf() */
void wb_supervisor_field_remove_mf_node(WbFieldRef field, int position);
/* wb_supervisor_simulation_reset_physics() */
void wb_supervisor_simulation_physics_reset(void);
/* Always WB_SUPERVISOR_MOVIE_READY, as wb_supervisor_get_movie_status(). */
int wb_supervisor_movie_get_status(void);
/* wb_supervisor_movie_start_recording() */
void wb_supervisor_start_movie(const char *file, int width, int height, int codec, int quality,
                               int acceleration, bool caption);
/* wb_supervisor_movie_stop_recording() */
void wb_supervisor_stop_movie(void);
int wb_supervisor_get_movie_status(void);
/* wb_supervisor_field_import_mf_node_from_string() with the text of a file, such as a .wbo. */
void wb_supervisor_field_import_mf_node(WbFieldRef field, int position, const char *filename);
/* wb_supervisor_field_import_sf_node_from_string() with the text of a file. */
void wb_supervisor_field_import_sf_node(WbFieldRef field, const char *filename);
/* wb_supervisor_node_get_base_node_field() */
WbFieldRef wb_supervisor_node_get_proto_field(WbNodeRef node, const char *field_name);
/* wb_supervisor_node_get_base_node_field_by_index() */
WbFieldRef wb_supervisor_node_get_proto_field_by_index(WbNodeRef node, int index);
/* wb_supervisor_node_get_number_of_base_node_fields() */
int wb_supervisor_node_get_proto_number_of_fields(WbNodeRef node);
/* wb_supervisor_animation_start_recording() */
void wb_supervisor_start_animation(const char *filename);
/* wb_supervisor_animation_stop_recording() */
void wb_supervisor_stop_animation(void);
/* wb_supervisor_node_get_type_name() */
const char *wb_supervisor_node_get_name(WbNodeRef node);

#define WB_SUPERVISOR_MOVIE_READY 0
#define WB_SUPERVISOR_MOVIE_RECORDING 1
#define WB_SUPERVISOR_MOVIE_SAVING 2
#define WB_SUPERVISOR_MOVIE_WRITE_ERROR 3
#define WB_SUPERVISOR_MOVIE_ENCODING_ERROR 4
#define WB_SUPERVISOR_MOVIE_SIMULATION_ERROR 5

#ifdef __cplusplus
}
#endif

#ifdef SERVOSIM_WEBOTS_API
#include <webots/api6/supervisor.h>
#endif

#endif /* WB_SUPERVISOR_H */

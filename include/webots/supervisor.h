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

/* Only a robot whose field supervisor is TRUE may call these functions; for others they report an
 * error and do nothing. Errors of a call are printed on stderr; it then returns NULL, 0 or NaN.
 *
 * A change acts before the next step, and values read are always current. References stay valid as
 * long as the node is in the world, and those to removed nodes are refused. A pointer returned
 * stays valid until the next call of the same function for the same node or field. */

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

typedef enum {
  WB_SUPERVISOR_SIMULATION_MODE_PAUSE = 0,
  WB_SUPERVISOR_SIMULATION_MODE_REAL_TIME,
  WB_SUPERVISOR_SIMULATION_MODE_FAST
} WbSimulationMode;

/* Of older releases, between real time and fast. */
#define WB_SUPERVISOR_SIMULATION_MODE_RUN WB_SUPERVISOR_SIMULATION_MODE_FAST

/* ---- the world and the simulation */

/* Ends this run of the world and begins another one; `filename` is relative to the controller's
 * folder. */
void wb_supervisor_world_load(const char *filename);
/* The same with the world's own file. */
void wb_supervisor_world_reload(void);
/* Writes the world as it is now; NULL: over its own file. False if that fails. */
bool wb_supervisor_world_save(const char *filename);

/* Ends the simulation; `status` becomes the simulator's exit status. The next step returns -1. */
void wb_supervisor_simulation_quit(int status);
/* Back to the world as it was loaded, at time 0; controllers go on. */
void wb_supervisor_simulation_reset(void);
/* Stops every Solid. */
void wb_supervisor_simulation_reset_physics(void);
/* Nothing is rendered: the mode is stored and returned, and changes nothing. */
WbSimulationMode wb_supervisor_simulation_get_mode(void);
void wb_supervisor_simulation_set_mode(WbSimulationMode mode);

/* ---- pictures: accepted, and nothing is drawn */

/* Text on the picture, at x, y in [0, 1]; `color` 0xRRGGBB. Kept, and written into a trace. */
void wb_supervisor_set_label(int id, const char *text, double x, double y, double size, int color,
                             double transparency, const char *font);

void wb_supervisor_export_image(const char *filename, int quality);
void wb_supervisor_movie_start_recording(const char *filename, int width, int height, int codec,
                                         int quality, int acceleration, bool caption);
void wb_supervisor_movie_stop_recording(void);
/* True: nothing is recorded. False. */
bool wb_supervisor_movie_is_ready(void);
bool wb_supervisor_movie_failed(void);
/* True: accepted, but nothing is recorded. */
bool wb_supervisor_animation_start_recording(const char *filename);
bool wb_supervisor_animation_stop_recording(void);
void wb_supervisor_node_move_viewpoint(WbNodeRef node);
void wb_supervisor_node_set_visibility(WbNodeRef node, WbNodeRef from, bool visible);
/* False, and NULL for its place. */
bool wb_supervisor_virtual_reality_headset_is_used(void);
const double *wb_supervisor_virtual_reality_headset_get_position(void);
const double *wb_supervisor_virtual_reality_headset_get_orientation(void);

/* ---- finding nodes */

WbNodeRef wb_supervisor_node_get_root(void);
WbNodeRef wb_supervisor_node_get_self(void);
/* NULL: servosim has no selection. */
WbNodeRef wb_supervisor_node_get_selected(void);
int wb_supervisor_node_get_id(WbNodeRef node);
WbNodeRef wb_supervisor_node_get_from_id(int id);
WbNodeRef wb_supervisor_node_get_from_device(WbDeviceTag tag);
/* `def` is a DEF name or a path of them with dots, each below the one before: "ARM.HAND". NULL if
 * there is none. */
WbNodeRef wb_supervisor_node_get_from_def(const char *def);
/* The same inside of a PROTO instance. */
WbNodeRef wb_supervisor_node_get_from_proto_def(WbNodeRef node, const char *def);
WbNodeRef wb_supervisor_node_get_parent_node(WbNodeRef node);

/* ---- what a node is */

WbNodeType wb_supervisor_node_get_type(WbNodeRef node);
/* Name of its PROTO, else of its type. */
const char *wb_supervisor_node_get_type_name(WbNodeRef node);
/* Name of its type, for a PROTO instance that of the node it is made of. */
const char *wb_supervisor_node_get_base_type_name(WbNodeRef node);
/* "" without DEF. */
const char *wb_supervisor_node_get_def(WbNodeRef node);
bool wb_supervisor_node_is_proto(WbNodeRef node);
WbProtoRef wb_supervisor_node_get_proto(WbNodeRef node);

const char *wb_supervisor_proto_get_type_name(WbProtoRef proto);
bool wb_supervisor_proto_is_derived(WbProtoRef proto);
/* NULL unless derived. */
WbProtoRef wb_supervisor_proto_get_parent(WbProtoRef proto);
WbFieldRef wb_supervisor_proto_get_field(WbProtoRef proto, const char *field_name);
WbFieldRef wb_supervisor_proto_get_field_by_index(WbProtoRef proto, int index);
int wb_supervisor_proto_get_number_of_fields(WbProtoRef proto);

/* ---- fields of a node */

/* Of a PROTO instance: the fields of its PROTO; and those of the node it is made of, to be read
 * only. NULL if there is no such field; `index` counts from 0. */
WbFieldRef wb_supervisor_node_get_field(WbNodeRef node, const char *field_name);
WbFieldRef wb_supervisor_node_get_field_by_index(WbNodeRef node, int index);
int wb_supervisor_node_get_number_of_fields(WbNodeRef node);
WbFieldRef wb_supervisor_node_get_base_node_field(WbNodeRef node, const char *field_name);
WbFieldRef wb_supervisor_node_get_base_node_field_by_index(WbNodeRef node, int index);
int wb_supervisor_node_get_number_of_base_node_fields(WbNodeRef node);

const char *wb_supervisor_field_get_name(WbFieldRef field);
WbFieldType wb_supervisor_field_get_type(WbFieldRef field);
/* e.g. "SFVec3f" */
const char *wb_supervisor_field_get_type_name(WbFieldRef field);
/* Items of an MF field; -1 and a message for an SF field. */
int wb_supervisor_field_get_count(WbFieldRef field);
/* The field of the PROTO that gives this field of the PROTO's inside its value; else itself. */
WbFieldRef wb_supervisor_field_get_actual_field(WbFieldRef field);

bool wb_supervisor_field_get_sf_bool(WbFieldRef field);
int wb_supervisor_field_get_sf_int32(WbFieldRef field);
double wb_supervisor_field_get_sf_float(WbFieldRef field);
const double *wb_supervisor_field_get_sf_vec2f(WbFieldRef field);
const double *wb_supervisor_field_get_sf_vec3f(WbFieldRef field);
const double *wb_supervisor_field_get_sf_rotation(WbFieldRef field);
const double *wb_supervisor_field_get_sf_color(WbFieldRef field);
const char *wb_supervisor_field_get_sf_string(WbFieldRef field);
WbNodeRef wb_supervisor_field_get_sf_node(WbFieldRef field);
/* `index` counts from 0, and from the end when negative: -1 is the last item. */
bool wb_supervisor_field_get_mf_bool(WbFieldRef field, int index);
int wb_supervisor_field_get_mf_int32(WbFieldRef field, int index);
double wb_supervisor_field_get_mf_float(WbFieldRef field, int index);
const double *wb_supervisor_field_get_mf_vec2f(WbFieldRef field, int index);
const double *wb_supervisor_field_get_mf_vec3f(WbFieldRef field, int index);
const double *wb_supervisor_field_get_mf_color(WbFieldRef field, int index);
const double *wb_supervisor_field_get_mf_rotation(WbFieldRef field, int index);
const char *wb_supervisor_field_get_mf_string(WbFieldRef field, int index);
WbNodeRef wb_supervisor_field_get_mf_node(WbFieldRef field, int index);

/* NaN and infinities are refused. Units are those of the field. */
void wb_supervisor_field_set_sf_bool(WbFieldRef field, bool value);
void wb_supervisor_field_set_sf_int32(WbFieldRef field, int value);
void wb_supervisor_field_set_sf_float(WbFieldRef field, double value);
void wb_supervisor_field_set_sf_vec2f(WbFieldRef field, const double values[2]);
void wb_supervisor_field_set_sf_vec3f(WbFieldRef field, const double values[3]);
void wb_supervisor_field_set_sf_rotation(WbFieldRef field, const double values[4]);
void wb_supervisor_field_set_sf_color(WbFieldRef field, const double values[3]);
void wb_supervisor_field_set_sf_string(WbFieldRef field, const char *value);
void wb_supervisor_field_set_mf_bool(WbFieldRef field, int index, bool value);
void wb_supervisor_field_set_mf_int32(WbFieldRef field, int index, int value);
void wb_supervisor_field_set_mf_float(WbFieldRef field, int index, double value);
void wb_supervisor_field_set_mf_vec2f(WbFieldRef field, int index, const double values[2]);
void wb_supervisor_field_set_mf_vec3f(WbFieldRef field, int index, const double values[3]);
void wb_supervisor_field_set_mf_rotation(WbFieldRef field, int index, const double values[4]);
void wb_supervisor_field_set_mf_color(WbFieldRef field, int index, const double values[3]);
void wb_supervisor_field_set_mf_string(WbFieldRef field, int index, const char *value);

/* Before item `index`; the number of items, or -1, to append. */
void wb_supervisor_field_insert_mf_bool(WbFieldRef field, int index, bool value);
void wb_supervisor_field_insert_mf_int32(WbFieldRef field, int index, int value);
void wb_supervisor_field_insert_mf_float(WbFieldRef field, int index, double value);
void wb_supervisor_field_insert_mf_vec2f(WbFieldRef field, int index, const double values[2]);
void wb_supervisor_field_insert_mf_vec3f(WbFieldRef field, int index, const double values[3]);
void wb_supervisor_field_insert_mf_rotation(WbFieldRef field, int index, const double values[4]);
void wb_supervisor_field_insert_mf_color(WbFieldRef field, int index, const double values[3]);
void wb_supervisor_field_insert_mf_string(WbFieldRef field, int index, const char *value);

void wb_supervisor_field_remove_mf(WbFieldRef field, int index);
/* Makes an SFNode NULL. */
void wb_supervisor_field_remove_sf(WbFieldRef field);
/* `node_string` is a node as in a world file; its DEF names and its USEs are its own. PROTOs are
 * found as for the world. */
void wb_supervisor_field_import_mf_node_from_string(WbFieldRef field, int position,
                                                    const char *node_string);
void wb_supervisor_field_import_sf_node_from_string(WbFieldRef field, const char *node_string);

/* ---- nodes as a whole */

/* A removed robot's controller is notified that the simulation ends, the calling one after this
 * step. */
void wb_supervisor_node_remove(WbNodeRef node);
/* As it would stand in a world file. */
const char *wb_supervisor_node_export_string(WbNodeRef node);

/* Places, joint positions and velocities of what stands below the node, under a name. There is a
 * state named "__init__" from the start. */
void wb_supervisor_node_save_state(WbNodeRef node, const char *state_name);
void wb_supervisor_node_load_state(WbNodeRef node, const char *state_name);
/* Puts a joint, or the joint of JointParameters, at `position` [rad|m]; `index` counts its axes
 * from 1. */
void wb_supervisor_node_set_joint_position(WbNodeRef node, double position, int index);
/* Ends the controller of a robot and starts it again. */
void wb_supervisor_node_restart_controller(WbNodeRef node);

/* ---- place and motion */

/* In the world [m]; NaN three times for a node without a place. */
const double *wb_supervisor_node_get_position(WbNodeRef node);
/* 3x3, row after row. */
const double *wb_supervisor_node_get_orientation(WbNodeRef node);
/* 4x4, row after row, as seen from `from_node`; NULL: from the world. */
const double *wb_supervisor_node_get_pose(WbNodeRef node, WbNodeRef from_node);
/* In the world [m]. */
const double *wb_supervisor_node_get_center_of_mass(WbNodeRef node);

/* Linear [m/s], then angular [rad/s], in the world's axes. */
const double *wb_supervisor_node_get_velocity(WbNodeRef node);
void wb_supervisor_node_set_velocity(WbNodeRef node, const double velocity[6]);
/* Stops a Solid and what stands below it. */
void wb_supervisor_node_reset_physics(WbNodeRef node);

/* On a Solid with Physics, for the next step [N, N m]; `relative`: in the node's axes, else in the
 * world's. Without offset the force acts at the center of mass; `offset` is in the node's axes. */
void wb_supervisor_node_add_force(WbNodeRef node, const double force[3], bool relative);
void wb_supervisor_node_add_force_with_offset(WbNodeRef node, const double force[3],
                                              const double offset[3], bool relative);
void wb_supervisor_node_add_torque(WbNodeRef node, const double torque[3], bool relative);

/* Of the last step; `size` is set to how many there are. NULL if there is none. */
WbContactPoint *wb_supervisor_node_get_contact_points(WbNodeRef node, bool include_descendants,
                                                      int *size);
int wb_supervisor_node_get_number_of_contact_points(WbNodeRef node, bool include_descendants);
/* Of those that the last call of wb_supervisor_node_get_number_of_contact_points() counted. */
const double *wb_supervisor_node_get_contact_point(WbNodeRef node, int index);
WbNodeRef wb_supervisor_node_get_contact_point_node(WbNodeRef node, int index);
/* Whether the center of mass is above the support polygon of a Solid on the top level. */
bool wb_supervisor_node_get_static_balance(WbNodeRef node);

/* What is read is always of now; these only check what they are given. Periods in ms, >= 1. */
void wb_supervisor_field_enable_sf_tracking(WbFieldRef field, int sampling_period);
void wb_supervisor_field_disable_sf_tracking(WbFieldRef field);
void wb_supervisor_node_enable_pose_tracking(WbNodeRef node, int sampling_period,
                                             WbNodeRef from_node);
void wb_supervisor_node_disable_pose_tracking(WbNodeRef node, WbNodeRef from_node);
void wb_supervisor_node_enable_contact_points_tracking(WbNodeRef node, int sampling_period,
                                                       bool include_descendants);
void wb_supervisor_node_disable_contact_points_tracking(WbNodeRef node);

/* ---- spellings of older releases */

void wb_supervisor_node_enable_contact_point_tracking(WbNodeRef node, int sampling_period,
                                                      bool include_descendants);
void wb_supervisor_node_disable_contact_point_tracking(WbNodeRef node, bool include_descendants);
void wb_supervisor_simulation_revert(void);
void wb_supervisor_load_world(const char *filename);
bool wb_supervisor_save_world(const char *filename);
void wb_supervisor_field_remove_mf_node(WbFieldRef field, int position);
void wb_supervisor_simulation_physics_reset(void);
int wb_supervisor_movie_get_status(void);
void wb_supervisor_start_movie(const char *file, int width, int height, int codec, int quality,
                               int acceleration, bool caption);
void wb_supervisor_stop_movie(void);
int wb_supervisor_get_movie_status(void);
void wb_supervisor_field_import_mf_node(WbFieldRef field, int position, const char *filename);
void wb_supervisor_field_import_sf_node(WbFieldRef field, const char *filename);
WbFieldRef wb_supervisor_node_get_proto_field(WbNodeRef node, const char *field_name);
WbFieldRef wb_supervisor_node_get_proto_field_by_index(WbNodeRef node, int index);
int wb_supervisor_node_get_proto_number_of_fields(WbNodeRef node);
void wb_supervisor_start_animation(const char *filename);
void wb_supervisor_stop_animation(void);
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

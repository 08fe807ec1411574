/* SPDX-License-Identifier: Apache-2.0 */
/* A Supervisor finds, reads and changes nodes and fields. */
#include "api_supervisor.h"

#include <webots/robot.h>

static void nodes(void) {
  const WbNodeRef root = wb_supervisor_node_get_root();
  EXPECT(wb_supervisor_node_get_id(root) == 0);
  EXPECT(wb_supervisor_node_get_type(root) == WB_NODE_GROUP);
  EXPECT(wb_supervisor_node_get_parent_node(root) == NULL);
  const WbFieldRef children = wb_supervisor_node_get_field(root, "children");
  EXPECT(wb_supervisor_field_get_count(children) == 9);
  EXPECT(wb_supervisor_field_get_mf_node(children, 1) == find("VIEW"));
  EXPECT(wb_supervisor_field_get_mf_node(children, -1) == find("GROUP"));

  const WbNodeRef self = wb_supervisor_node_get_self();
  EXPECT(self == find("SELF"));
  EXPECT(wb_supervisor_node_get_parent_node(self) == root);
  EXPECT_TEXT(wb_supervisor_node_get_def(self), "SELF");
  EXPECT(wb_supervisor_node_get_from_id(wb_supervisor_node_get_id(self)) == self);
  EXPECT(wb_supervisor_node_get_selected() == NULL);
  const WbNodeRef gyro = wb_supervisor_node_get_from_device(wb_robot_get_device("turn"));
  EXPECT(wb_supervisor_node_get_type(gyro) == WB_NODE_GYRO);
  EXPECT(wb_supervisor_node_get_parent_node(gyro) == self);
  EXPECT(wb_supervisor_node_get_from_device(0) == self);

  EXPECT(find("ARM.JOINT.HAND") == find("HAND"));
  EXPECT(wb_supervisor_node_get_from_def("HAND.ARM") == NULL);
  EXPECT(wb_supervisor_node_get_from_def("NOBODY") == NULL);
  EXPECT(wb_supervisor_node_get_from_id(123456) == NULL);
  EXPECT_SILENCE();
  EXPECT(wb_supervisor_node_get_from_def(NULL) == NULL);
  EXPECT_MESSAGE("Error: wb_supervisor_node_get_from_def() called with a NULL or empty 'def'");
  EXPECT(wb_supervisor_node_get_id(NULL) == -1);
  EXPECT_MESSAGE("Error: wb_supervisor_node_get_id() called with a NULL or invalid 'node'");
  EXPECT(wb_supervisor_node_get_type((WbNodeRef)(void *)&failures) == WB_NODE_NO_NODE);
  EXPECT_MESSAGE("invalid 'node' argument");
  EXPECT_TEXT(wb_supervisor_field_get_name(NULL), "");
  EXPECT_MESSAGE("Error: wb_supervisor_field_get_name() called with a NULL or invalid 'field'");
  EXPECT(wb_supervisor_field_get_sf_float(wb_supervisor_node_get_field(self, "name")) == 0.0);
  EXPECT_MESSAGE("Error: wb_supervisor_field_get_sf_float() called");
}

static void protos(void) {
  const WbNodeRef cart = find("CART");
  EXPECT(wb_supervisor_node_is_proto(cart));
  EXPECT_TEXT(wb_supervisor_node_get_type_name(cart), "ApiCart");
  EXPECT_TEXT(wb_supervisor_node_get_base_type_name(cart), "Solid");
  EXPECT(wb_supervisor_node_get_type(cart) == WB_NODE_SOLID);
  EXPECT(wb_supervisor_node_get_number_of_fields(cart) == 5);
  EXPECT_TEXT(wb_supervisor_field_get_name(wb_supervisor_node_get_field_by_index(cart, 3)), "mass");
  EXPECT(wb_supervisor_node_get_field(cart, "physics") == NULL);
  const WbFieldRef physics = wb_supervisor_node_get_base_node_field(cart, "physics");
  const WbNodeRef inside = wb_supervisor_field_get_sf_node(physics);
  const WbFieldRef mass = wb_supervisor_node_get_field(inside, "mass");
  EXPECT_IS(wb_supervisor_field_get_sf_float(mass), 5.0);
  EXPECT(wb_supervisor_field_get_actual_field(mass) == field("CART", "mass"));
  EXPECT_SILENCE();
  wb_supervisor_field_set_sf_float(mass, 6.0);
  EXPECT_MESSAGE("called on a read-only PROTO internal field");

  wb_supervisor_field_set_sf_float(field("CART", "mass"), 8.0);
  EXPECT_IS(wb_supervisor_field_get_sf_float(field("CART", "mass")), 8.0);
  EXPECT_IS(wb_supervisor_field_get_sf_float(mass), 8.0);

  EXPECT(wb_supervisor_node_get_from_def("RACK") == NULL);
  const WbNodeRef rack = wb_supervisor_node_get_from_proto_def(cart, "RACK");
  EXPECT(rack != NULL);
  expect_vector(wb_supervisor_node_get_position(rack), -5.0, 0.0, 0.75, 1e-12);
  expect_vector(wb_supervisor_node_get_position(find("CART.FLAG")), -4.5, 0.0, 0.75, 1e-12);
  EXPECT(wb_supervisor_node_get_parent_node(find("FLAG")) == cart);

  const WbProtoRef derived = wb_supervisor_node_get_proto(find("DERIVED"));
  EXPECT_TEXT(wb_supervisor_proto_get_type_name(derived), "ApiDerivedCart");
  EXPECT(wb_supervisor_proto_is_derived(derived));
  const WbProtoRef parent = wb_supervisor_proto_get_parent(derived);
  EXPECT_TEXT(wb_supervisor_proto_get_type_name(parent), "ApiCart");
  EXPECT(!wb_supervisor_proto_is_derived(parent));
  EXPECT(wb_supervisor_proto_get_parent(parent) == NULL);
  EXPECT(wb_supervisor_proto_get_number_of_fields(parent) == 5);
  EXPECT_IS(wb_supervisor_field_get_sf_float(wb_supervisor_proto_get_field(parent, "mass")), 7.0);
  EXPECT(wb_supervisor_field_get_actual_field(wb_supervisor_proto_get_field(parent, "mass")) ==
         field("DERIVED", "load"));
  const WbFieldRef fixed = wb_supervisor_proto_get_field(parent, "name");
  EXPECT(wb_supervisor_field_get_actual_field(fixed) == fixed); /* no parameter gives it */
  EXPECT(wb_supervisor_node_get_proto(find("BALL")) == NULL);
  EXPECT_SILENCE();
}

static void values(void) {
  const WbFieldRef color = field("LOOKS", "baseColor");
  EXPECT(wb_supervisor_field_get_type(color) == WB_SF_COLOR);
  EXPECT_TEXT(wb_supervisor_field_get_type_name(color), "SFColor");
  expect_vector(wb_supervisor_field_get_sf_color(color), 1.0, 0.5, 0.0, 0.0);
  wb_supervisor_field_set_sf_color(color, (const double[]){0.0, 0.25, 1.0});
  expect_vector(wb_supervisor_field_get_sf_color(color), 0.0, 0.25, 1.0, 0.0);
  wb_supervisor_field_set_sf_color(color, (const double[]){0.0, 2.0, 1.0});
  EXPECT_MESSAGE("outside [0,1] range");
  EXPECT(wb_supervisor_field_get_sf_vec3f(color) == NULL);
  EXPECT_MESSAGE("called with a wrong field type: SFColor instead of SFVec3f");
  EXPECT(wb_supervisor_field_get_count(color) == -1);
  EXPECT_MESSAGE("Error: wb_supervisor_field_get_count() called");

  EXPECT_TEXT(wb_supervisor_field_get_sf_string(field("SELF", "customData")), "mine");
  wb_supervisor_field_set_sf_string(field("SELF", "customData"), "and \"quoted\"");
  EXPECT_TEXT(wb_supervisor_field_get_sf_string(field("SELF", "customData")), "and \"quoted\"");
  EXPECT(wb_supervisor_field_get_sf_bool(field("SELF", "supervisor")));

  const WbFieldRef info =
      wb_supervisor_node_get_field(wb_supervisor_field_get_mf_node(top(), 0), "info");
  wb_supervisor_field_insert_mf_string(info, -1, "two");
  wb_supervisor_field_insert_mf_string(info, 0, "one");
  wb_supervisor_field_insert_mf_string(info, 2, "three");
  EXPECT(wb_supervisor_field_get_count(info) == 3);
  EXPECT_TEXT(wb_supervisor_field_get_mf_string(info, -2), "two");
  wb_supervisor_field_set_mf_string(info, -1, "last");
  wb_supervisor_field_remove_mf(info, 1);
  EXPECT(wb_supervisor_field_get_count(info) == 2);
  EXPECT_TEXT(wb_supervisor_field_get_mf_string(info, 1), "last");
  EXPECT_SILENCE();
  EXPECT_TEXT(wb_supervisor_field_get_mf_string(info, 2), "");
  EXPECT_MESSAGE("called with an out-of-bound index: 2 (should be between -2 and 1)");
  wb_supervisor_field_insert_mf_string(info, 4, "");
  EXPECT_MESSAGE("called with an out-of-bound index: 4 (should be between -3 and 2)");
  wb_supervisor_field_set_sf_float(field("MOTOR", "maxVelocity"), NAN);
  EXPECT_MESSAGE("Error: wb_supervisor_field_set_sf_float() called with a NaN value.");
  wb_supervisor_field_set_sf_vec3f(field("BALL", "translation"), NULL);
  EXPECT_MESSAGE("called with a NULL 'values' argument");
  EXPECT(wb_supervisor_node_get_field(find("BALL"), "nonsense") == NULL);
  EXPECT_SILENCE();
}

/* Poses are those of the simulation: they are read after a step and set before one. */
static void motion(void) {
  const WbNodeRef ball = find("BALL");
  const WbFieldRef translation = field("BALL", "translation");
  expect_vector(wb_supervisor_field_get_sf_vec3f(translation), 1.0, 2.0, 10.0, 0.0);
  wb_robot_step(kStep);
  /* One step of ODE gives v = -g h and z += v h. */
  EXPECT_NEAR(wb_supervisor_field_get_sf_vec3f(translation)[2], 10.0 - 9.81 * h * h, 1e-9);
  EXPECT_NEAR(wb_supervisor_node_get_velocity(ball)[2], -9.81 * h, 1e-9);
  EXPECT_NEAR(wb_supervisor_node_get_position(ball)[2], 10.0 - 9.81 * h * h, 1e-9);

  wb_supervisor_field_set_sf_vec3f(translation, (const double[]){3.0, 4.0, 20.0});
  wb_supervisor_node_set_velocity(ball, (const double[]){0.5, 0.0, 0.0, 0.0, 0.0, 0.0});
  expect_vector(wb_supervisor_field_get_sf_vec3f(translation), 3.0, 4.0, 20.0, 0.0);
  expect_vector(wb_supervisor_node_get_position(find("MARK")), 3.0, 4.0, 21.0, 1e-12);
  const double *m = wb_supervisor_node_get_orientation(find("MARK"));
  EXPECT_NEAR(m[1], -1.0, 1e-12);
  EXPECT_NEAR(m[3], 1.0, 1e-12);
  const double *pose = wb_supervisor_node_get_pose(ball, find("MARK"));
  EXPECT_NEAR(pose[11], -1.0, 1e-12);
  wb_robot_step(kStep);
  expect_vector(wb_supervisor_field_get_sf_vec3f(translation), 3.0 + 0.5 * h, 4.0,
                20.0 - 9.81 * h * h, 1e-9);

  wb_supervisor_node_reset_physics(ball);
  expect_vector(wb_supervisor_node_get_velocity(ball), 0.0, 0.0, 0.0, 0.0);
  wb_supervisor_node_add_force(ball, (const double[]){0.0, 5.0, 2.0 * 9.81}, false);
  wb_robot_step(kStep);
  expect_vector(wb_supervisor_node_get_velocity(ball), 0.0, 5.0 / 2.0 * h, 0.0, 1e-9);
  expect_vector(wb_supervisor_node_get_center_of_mass(ball),
                wb_supervisor_node_get_position(ball)[0], wb_supervisor_node_get_position(ball)[1],
                wb_supervisor_node_get_position(ball)[2], 1e-9);
  EXPECT_SILENCE();
  wb_supervisor_node_add_force(find("GROUND"), (const double[]){1.0, 0.0, 0.0}, false);
  EXPECT_MESSAGE("Error: wb_supervisor_node_add_force(): the Solid has no Physics");
  EXPECT_NAN(wb_supervisor_node_get_position(find("LOOKS"))[0]);
  EXPECT_MESSAGE("the node is no Pose");
  EXPECT_NAN(wb_supervisor_node_get_velocity(find("MARK"))[0]);
  EXPECT_MESSAGE("the node is no Solid");
}

static void joints(void) {
  const WbFieldRef position = field("PARAMETERS", "position");
  /* The arm hangs on its motor, which yields by the world's CFM. */
  EXPECT_NEAR(wb_supervisor_field_get_sf_float(position), 0.25, 1e-5);
  wb_supervisor_node_set_joint_position(find("JOINT"), 0.5, 1);
  EXPECT_NEAR(wb_supervisor_field_get_sf_float(position), 0.5, 1e-9);
  const double *rotation = wb_supervisor_field_get_sf_rotation(field("HAND", "rotation"));
  EXPECT_NEAR(rotation[1] * rotation[3], 0.5, 1e-9);
  EXPECT_SILENCE();
  wb_supervisor_node_set_joint_position(find("JOINT"), 0.5, 2);
  EXPECT_MESSAGE("called with an invalid index 2");
  wb_supervisor_node_set_joint_position(find("BALL"), 0.5, 1);
  EXPECT_MESSAGE("the node is no joint");
  wb_supervisor_node_set_joint_position(find("JOINT"), NAN, 1);
  EXPECT_MESSAGE("called with a NaN value");
}

/* Fields that the physics is built from may change while the world runs. */
static void rebuilding(void) {
  const WbNodeRef ball = find("BALL");
  wb_supervisor_field_set_sf_float(field("PHYSICS", "mass"), 4.0);
  wb_supervisor_field_set_sf_float(field("SHAPE", "radius"), 0.2);
  EXPECT_IS(wb_supervisor_field_get_sf_float(field("SHAPE", "radius")), 0.2);
  wb_supervisor_node_reset_physics(ball);
  wb_supervisor_node_add_force(ball, (const double[]){8.0, 0.0, 0.0}, false);
  wb_robot_step(kStep);
  EXPECT_NEAR(wb_supervisor_node_get_velocity(ball)[0], 8.0 / 4.0 * h, 1e-9);
  /* The ground's top is at -0.5. */
  wb_supervisor_field_set_sf_vec3f(field("BALL", "translation"), (const double[]){20, 20, -0.301});
  wb_supervisor_node_reset_physics(ball);
  wb_robot_step(kStep);
  int size = 0;
  const WbContactPoint *points = wb_supervisor_node_get_contact_points(ball, false, &size);
  EXPECT(size >= 1 && points != NULL);
  if (size >= 1) {
    expect_vector(points[0].point, 20.0, 20.0, -0.5, 5e-3);
    EXPECT(points[0].node_id == wb_supervisor_node_get_id(ball));
  }
  EXPECT_SILENCE();
}

static void import_and_remove(void) {
  const WbFieldRef root = top();
  const int before = wb_supervisor_field_get_count(root);
  wb_supervisor_field_import_mf_node_from_string(
      root, -1,
      "DEF NEW ApiCart { translation 9 9 5 name \"new\" slot [ DEF TOP Pose { } Group { } ] }");
  EXPECT(wb_supervisor_field_get_count(root) == before + 1);
  const WbNodeRef cart = find("NEW");
  expect_vector(wb_supervisor_node_get_position(cart), 9.0, 9.0, 5.0, 1e-12);
  wb_robot_step(kStep);
  EXPECT_NEAR(wb_supervisor_node_get_position(cart)[2], 5.0 - 9.81 * 0.016 * 0.016, 1e-9);
  EXPECT(strstr(wb_supervisor_node_export_string(cart), "DEF NEW ApiCart {") != NULL);
  const WbFieldRef slot = field("NEW", "slot");
  wb_supervisor_field_import_mf_node_from_string(slot, 1, "DEF MIDDLE Pose { translation 0 1 0 }");
  EXPECT(wb_supervisor_field_get_count(slot) == 3);
  EXPECT(wb_supervisor_field_get_mf_node(slot, 1) == find("MIDDLE"));
  EXPECT_NEAR(wb_supervisor_node_get_position(find("MIDDLE"))[1], 10.0, 1e-9);
  EXPECT_SILENCE();

  wb_supervisor_field_import_mf_node_from_string(root, 0, "Solid { children [");
  EXPECT_MESSAGE("Error: wb_supervisor_field_import_mf_node_from_string(): imported node:1:");
  wb_supervisor_field_import_mf_node_from_string(root, 0, "Nowhere { }");
  EXPECT_MESSAGE("PROTO 'Nowhere' not found");
  wb_supervisor_field_import_mf_node_from_string(root, 0, "");
  EXPECT_MESSAGE("called with a NULL or empty 'node_string' argument");
  wb_supervisor_field_import_mf_node_from_string(root, 99, "Group { }");
  EXPECT_MESSAGE("called with an out-of-bound index: 99");
  wb_supervisor_field_import_sf_node_from_string(field("BALL", "physics"), "Physics { }");
  EXPECT_MESSAGE("called with a non-empty field");
  EXPECT(wb_supervisor_field_get_count(root) == before + 1);

  wb_supervisor_node_remove(cart);
  EXPECT(wb_supervisor_node_get_from_def("NEW") == NULL);
  EXPECT(wb_supervisor_field_get_count(root) == before);
  EXPECT_SILENCE();
  EXPECT_NAN(wb_supervisor_node_get_position(cart)[0]);
  EXPECT_MESSAGE("called with an invalid 'node' argument: it was removed.");
  EXPECT(wb_supervisor_field_get_count(slot) == -1);
  EXPECT_MESSAGE("it was removed");
  wb_robot_step(kStep);
  wb_supervisor_field_remove_mf(wb_supervisor_node_get_field(find("GROUP"), "children"), 0);
  EXPECT(wb_supervisor_node_get_from_def("LIGHT") == NULL);
  wb_supervisor_node_remove(find("VIEW"));
  EXPECT_MESSAGE("a Viewpoint cannot be removed");
}

static void states(void) {
  const WbNodeRef ball = find("BALL");
  const WbFieldRef translation = field("BALL", "translation");
  wb_supervisor_field_set_sf_vec3f(translation, (const double[]){30, 30, 7});
  wb_supervisor_node_save_state(ball, "high");
  wb_robot_step(10 * kStep);
  EXPECT(wb_supervisor_field_get_sf_vec3f(translation)[2] < 7.0);
  wb_supervisor_node_load_state(ball, "high");
  expect_vector(wb_supervisor_field_get_sf_vec3f(translation), 30.0, 30.0, 7.0, 1e-9);
  wb_supervisor_node_load_state(ball, "__init__");
  expect_vector(wb_supervisor_field_get_sf_vec3f(translation), 1.0, 2.0, 10.0, 1e-9);
  EXPECT_SILENCE();
  wb_supervisor_node_load_state(ball, "unknown");
  EXPECT_MESSAGE("the node has no state called 'unknown'");
}

static void others(void) {
  EXPECT(wb_supervisor_simulation_get_mode() == WB_SUPERVISOR_SIMULATION_MODE_FAST);
  wb_supervisor_simulation_set_mode(WB_SUPERVISOR_SIMULATION_MODE_REAL_TIME);
  EXPECT(wb_supervisor_simulation_get_mode() == WB_SUPERVISOR_SIMULATION_MODE_REAL_TIME);
  wb_supervisor_set_label(1, "text", 0.5, 0.5, 0.1, 0xff0000, 0.0, "Arial");
  EXPECT(wb_supervisor_movie_is_ready());
  EXPECT(!wb_supervisor_movie_failed());
  EXPECT(!wb_supervisor_virtual_reality_headset_is_used());
  EXPECT(wb_supervisor_virtual_reality_headset_get_position() == NULL);
  wb_supervisor_field_enable_sf_tracking(field("BALL", "translation"), kStep);
  EXPECT_SILENCE();
  wb_supervisor_set_label(1, "text", 1.5, 0.5, 0.1, 0xff0000, 0.0, "Arial");
  EXPECT_MESSAGE("x parameter should be in the range [0,1]");
  wb_supervisor_field_enable_sf_tracking(field("BALL", "translation"), 0);
  EXPECT_MESSAGE("invalid sampling period");
  wb_supervisor_simulation_set_mode((WbSimulationMode)7);
  EXPECT_MESSAGE("invalid mode");
  EXPECT(!wb_supervisor_world_save("/nowhere/x.txt"));
  EXPECT_MESSAGE("does not end in .wbt");
}

int main(void) {
  api_begin();
  wb_robot_init();
  nodes();
  protos();
  values();
  motion();
  joints();
  rebuilding();
  import_and_remove();
  states();
  others();
  wb_robot_cleanup();
  return api_end();
}

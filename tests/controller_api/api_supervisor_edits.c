/* SPDX-License-Identifier: Apache-2.0 */
/* What a Supervisor reads where a bad value was loaded or written, which nodes a field accepts,
 * and what becomes of a USE. */
#include <webots/motor.h>
#include <webots/robot.h>

#include "api_supervisor.h"

static double number(const char *def, const char *name) {
  return wb_supervisor_field_get_sf_float(field(def, name));
}

/* Writes a bad value. After the step, the field has the substitute. */
static void expect_substitute(const char *def, const char *name, double bad, double good) {
  wb_supervisor_field_set_sf_float(field(def, name), bad);
  wb_robot_step(kStep);
  EXPECT_IS(number(def, name), good);
  take_messages();
}

static const double *vector(const char *def, const char *name) {
  return wb_supervisor_field_get_sf_vec3f(field(def, name));
}

static void substitutes_of_loading(void) {
  EXPECT_IS(number("INFO", "CFM"), 1e-5);
  EXPECT_IS(number("INFO", "ERP"), 0.2);
  EXPECT(wb_supervisor_field_get_sf_int32(field("INFO", "randomSeed")) == 0);
  EXPECT_IS(number("DAMPING", "linear"), 1.0);
  EXPECT_IS(number("DAMPING", "angular"), 0.0);
  EXPECT_IS(wb_supervisor_field_get_mf_float(field("CONTACT", "coulombFriction"), 0), 0.5);
  EXPECT_IS(wb_supervisor_field_get_mf_float(field("CONTACT", "coulombFriction"), 1), 1.0);
  EXPECT_IS(number("CONTACT", "bounce"), 0.5);
  EXPECT_IS(number("CONTACT", "bounceVelocity"), 0.01);
  EXPECT_IS(number("CONTACT", "softERP"), 0.2);
  EXPECT_IS(number("CONTACT", "softCFM"), 0.001);
  EXPECT(wb_supervisor_field_get_sf_int32(field("CONTACT", "maxContactJoints")) == 10);
  EXPECT_IS(number("PHYSICS", "mass"), -1.0);
  EXPECT_IS(number("PHYSICS", "density"), 1000.0);
  EXPECT(wb_supervisor_field_get_count(field("HAND_PHYSICS", "centerOfMass")) == 1);
  EXPECT(wb_supervisor_field_get_count(field("HAND_PHYSICS", "inertiaMatrix")) == 2);
  EXPECT_IS(number("PARAMETERS", "springConstant"), 2.0);
  EXPECT_IS(number("PARAMETERS", "dampingConstant"), 3.0);
  EXPECT_IS(number("PARAMETERS", "stopERP"), -1.0);
  EXPECT_IS(number("PARAMETERS", "stopCFM"), -1.0);
  expect_vector(vector("PARAMETERS", "axis"), 1.0, 0.0, 0.0, 0.0);
  EXPECT_IS(number("MOTOR", "maxVelocity"), 3.0);
  EXPECT_IS(number("MOTOR", "maxTorque"), 10.0);
  EXPECT_IS(number("MOTOR", "acceleration"), -1.0);
  EXPECT_IS(number("MOTOR", "multiplier"), 1.0);
  EXPECT_IS(number("MOTOR", "minPosition"), 0.25);
  EXPECT_IS(number("MOTOR", "maxPosition"), 0.75);
  expect_vector(vector("MOTOR", "controlPID"), -1.0, 0.0, 0.0, 0.0);
  /* The available force was copied before the change. */
  EXPECT_IS(wb_motor_get_available_torque(wb_robot_get_device("motor")), -20.0);
  /* For a PROTO, the parameter changes, too. */
  EXPECT_IS(number("CART", "mass"), -1.0);
  const WbNodeRef inside = wb_supervisor_field_get_sf_node(
      wb_supervisor_node_get_base_node_field(find("CART"), "physics"));
  EXPECT_IS(wb_supervisor_field_get_sf_float(wb_supervisor_node_get_field(inside, "mass")), -1.0);
  /* These values are checked only when they are written. */
  EXPECT_IS(number("PARAMETERS", "staticFriction"), -4.0);
  expect_vector(vector("PARAMETERS", "suspensionAxis"), 0.0, 0.0, 0.0, 0.0);
  EXPECT_IS(number("SENSOR", "noise"), -1.0);
  EXPECT_IS(number("SENSOR", "resolution"), -2.0);
  expect_vector(vector("CONTACT", "rollingFriction"), -2.0, 0.0, 0.0, 0.0);
}

static void substitutes_of_changes(void) {
  expect_substitute("PHYSICS", "mass", -5.0, -1.0);
  expect_substitute("PHYSICS", "density", -3.0, 1000.0);
  expect_substitute("SELF_PHYSICS", "density", 0.0, 1000.0);
  expect_substitute("MOTOR", "maxVelocity", -7.0, 7.0);
  expect_substitute("MOTOR", "maxTorque", -1.0, 10.0);
  expect_substitute("MOTOR", "acceleration", -3.0, -1.0);
  expect_substitute("MOTOR", "multiplier", 0.0, 1.0);
  expect_substitute("PARAMETERS", "springConstant", -11.0, 11.0);
  expect_substitute("PARAMETERS", "springConstant", 0.0, 0.0);
  expect_substitute("PARAMETERS", "dampingConstant", -0.5, 0.5);
  expect_substitute("PARAMETERS", "staticFriction", -0.75, 0.75);
  expect_substitute("PARAMETERS", "stopERP", -2.0, -1.0);
  expect_substitute("PARAMETERS", "stopCFM", -2.0, -1.0);
  expect_substitute("SENSOR", "noise", -1.0, 0.0);
  expect_substitute("SENSOR", "resolution", -2.0, -1.0);
  expect_substitute("CONTACT", "bounce", -0.5, 0.5);
  expect_substitute("INFO", "ERP", -1.0, 0.2);
  expect_substitute("CART", "mass", -2.0, -1.0);
  wb_supervisor_field_set_sf_vec3f(field("CONTACT", "rollingFriction"),
                                   (const double[]){0.5, -3.0, 0.5});
  EXPECT_MESSAGE("warning: rollingFriction cannot be 0.5 -3 0.5; 0 0 0 is used.");
  expect_vector(vector("CONTACT", "rollingFriction"), 0.0, 0.0, 0.0, 0.0);
  wb_supervisor_field_set_sf_vec3f(field("PARAMETERS", "suspensionAxis"),
                                   (const double[]){0.0, 0.0, 0.0});
  EXPECT_MESSAGE("warning: suspensionAxis cannot be 0 0 0; 1 0 0 is used.");
  expect_vector(vector("PARAMETERS", "suspensionAxis"), 1.0, 0.0, 0.0, 0.0);
  wb_supervisor_field_set_mf_float(field("CONTACT", "coulombFriction"), 0, -8.0);
  wb_robot_step(kStep);
  EXPECT_IS(wb_supervisor_field_get_mf_float(field("CONTACT", "coulombFriction"), 0), 1.0);
  take_messages();
  /* A good value stays as it was written. */
  wb_supervisor_field_set_sf_float(field("PHYSICS", "mass"), 4.0);
  wb_robot_step(kStep);
  EXPECT_IS(number("PHYSICS", "mass"), 4.0);
  take_messages();
}

/* The limits of a motor are compared with the present position of the joint, not with the loaded
 * one. */
static void limits_of_a_joint_that_moved(void) {
  wb_supervisor_field_set_sf_float(field("MOTOR", "maxPosition"), 3.0);
  wb_supervisor_field_set_sf_float(field("PARAMETERS", "position"), 1.5);
  wb_supervisor_field_set_sf_float(field("MOTOR", "minPosition"), 1.0);
  EXPECT_NEAR(number("PARAMETERS", "position"), 1.5, 1e-12);
  EXPECT_IS(number("MOTOR", "minPosition"), 1.0);
  wb_robot_step(0);
  wb_supervisor_field_set_sf_float(field("MOTOR", "maxPosition"), 1.25);
  EXPECT_NEAR(number("PARAMETERS", "position"), 1.5, 1e-12); /* rebuilds the world */
  EXPECT_NEAR(number("MOTOR", "maxPosition"), 1.5, 1e-12);
  EXPECT_IS(number("MOTOR", "minPosition"), 1.0);
  take_messages();
}

/* If motors are coupled, the one that is changed passes its limits on to the other. */
static void coupled_motors(void) {
  EXPECT_NEAR(number("RIGHT", "maxVelocity"), 7.0, 1e-12);
  wb_supervisor_field_set_sf_float(field("RIGHT", "maxVelocity"), 0.7);
  EXPECT_MESSAGE("warning: maxVelocity of \"finger::left\" becomes 0.");
  EXPECT_NEAR(number("LEFT", "maxVelocity"), 0.3, 1e-12);
  wb_supervisor_field_set_sf_float(field("LEFT", "maxPosition"), 2.0);
  EXPECT_MESSAGE("warning: maxPosition of \"finger::right\" becomes 4.");
  wb_robot_step(kStep);
  EXPECT_IS(number("RIGHT", "maxVelocity"), 0.7);
  EXPECT_NEAR(number("LEFT", "maxVelocity"), 0.3, 1e-12);
  EXPECT_NEAR(number("RIGHT", "maxPosition"), 14.0 / 3.0, 1e-12);
  EXPECT_IS(wb_motor_get_max_velocity(wb_robot_get_device("finger::right")), 0.7);
  EXPECT_SILENCE();
}

static void import_into(const char *def, const char *name, const char *text) {
  const WbFieldRef where = field(def, name);
  if (wb_supervisor_field_get_type(where) == WB_SF_NODE)
    wb_supervisor_field_import_sf_node_from_string(where, text);
  else
    wb_supervisor_field_import_mf_node_from_string(where, -1, text);
}

static void refused(const char *def, const char *name, const char *text, const char *message) {
  import_into(def, name, text);
  EXPECT_MESSAGE(message);
}

static void kinds_of_nodes(void) {
  refused("TOP", "children", "Physics { }",
          "cannot insert a Physics node in the 'children' field of a Group node.");
  refused("TOP", "children", "Sphere { }", "cannot insert a Sphere node in the 'children' field");
  refused("TOP", "children", "Background { }", "cannot insert a Background node");
  refused("TOP", "children", "RotationalMotor { }", "cannot insert a RotationalMotor node");
  refused("EMPTY", "physics", "Damping { }",
          "cannot insert a Damping node in the 'physics' field of a Solid node.");
  refused("EMPTY", "boundingObject", "Cone { }", "cannot insert a Cone node");
  refused("EMPTY", "boundingObject", "Solid { }", "cannot insert a Solid node");
  refused("PLAIN", "geometry", "Shape { }", "cannot insert a Shape node in the 'geometry' field");
  refused("JOINT", "device", "LinearMotor { }",
          "cannot insert a LinearMotor node in the 'device' field of a HingeJoint node.");
  refused("SLIDE", "device", "RotationalMotor { }", "cannot insert a RotationalMotor node");
  refused("JOINT", "device", "Gyro { }", "cannot insert a Gyro node");
  refused("INFO", "contactProperties", "Damping { }", "cannot insert a Damping node");
  refused("CART", "slot", "Material { }",
          "cannot insert a Material node in the 'slot' field of a ApiCart node.");
  const WbFieldRef root = top();
  wb_supervisor_field_import_mf_node_from_string(root, -1, "Material { }");
  EXPECT_MESSAGE("cannot insert a Material node on the top level of the world.");
  EXPECT(wb_supervisor_field_get_count(field("TOP", "children")) == 0);
  EXPECT(wb_supervisor_field_get_count(field("JOINT", "device")) == 2);
  EXPECT(wb_supervisor_field_get_sf_node(field("EMPTY", "physics")) == NULL);

  import_into("EMPTY", "boundingObject", "DEF BOX_GROUP Group { }");
  import_into("BOX_GROUP", "children", "Box { size 1 1 1 }");
  refused("BOX_GROUP", "children", "Solid { }", "cannot insert a Solid node");
  import_into("EMPTY", "physics", "Physics { density -1 mass 2 }");
  import_into("SLIDE", "device", "LinearMotor { name \"late\" }");
  import_into("PLAIN", "geometry", "Cone { }");
  EXPECT_SILENCE();
}

/* A message about a bad value in an imported text names the position in that text. */
static void places_of_messages(void) {
  wb_supervisor_field_import_mf_node_from_string(
      top(), -1,
      "DEF LATE Solid {\n  name \"late\"\n  physics DEF LATE_PHYSICS Physics {\n    mass -9\n"
      "  }\n}");
  EXPECT_SILENCE();
  wb_robot_step(kStep);
  EXPECT_IS(number("LATE_PHYSICS", "mass"), -1.0);
  if (getenv("SERVOSIM_WORLD") != NULL) /* else it is said where the simulation runs */
    EXPECT_MESSAGE("imported node:4:5: mass is -9");
  take_messages();
}

static void uses(void) {
  /* After the node at the top level is removed, the one below is the DEF node. */
  const WbFieldRef root = top();
  const int count = wb_supervisor_field_get_count(root);
  wb_supervisor_node_remove(find("TOP"));
  EXPECT(wb_supervisor_field_get_count(root) == count - 1);
  EXPECT(wb_supervisor_field_get_count(field("HOLDER", "children")) == 1);
  EXPECT(wb_supervisor_node_get_parent_node(find("TOP")) == find("HOLDER"));
  wb_supervisor_node_remove(find("TOP"));
  EXPECT(wb_supervisor_node_get_from_def("TOP") == NULL);
  EXPECT(wb_supervisor_field_get_count(field("HOLDER", "children")) == 0);

  EXPECT(wb_supervisor_node_get_parent_node(find("LOOKED")) == find("FIRST"));
  wb_supervisor_node_remove(find("LOOKED"));
  EXPECT(wb_supervisor_field_get_count(field("FIRST", "children")) == 0);
  EXPECT(wb_supervisor_field_get_count(field("SECOND", "children")) == 2);
  EXPECT(wb_supervisor_node_get_parent_node(find("LOOKED")) == find("SECOND"));
  /* The same for a node in a field that holds one node. */
  wb_supervisor_node_remove(find("LOOKS"));
  EXPECT(wb_supervisor_field_get_sf_node(field("LOOKED", "appearance")) == NULL);
  EXPECT(wb_supervisor_field_get_sf_node(field("PLAIN", "appearance")) == find("LOOKS"));
  const double *color = wb_supervisor_field_get_sf_color(field("LOOKS", "baseColor"));
  EXPECT_IS(color[1], 0.5);
  wb_robot_step(kStep);

  wb_supervisor_node_remove(find("ROUND"));
  EXPECT(wb_supervisor_field_get_sf_node(field("LOOKED", "geometry")) == NULL);
  EXPECT(wb_supervisor_field_get_sf_node(field("BALL", "boundingObject")) == find("ROUND"));
  EXPECT_IS(number("ROUND", "radius"), 0.1);
  const char *text = wb_supervisor_node_export_string(find("BALL"));
  EXPECT(strstr(text, "boundingObject DEF ROUND Sphere") != NULL);
  EXPECT(strstr(text, "DEF LOOKS") != NULL);
  EXPECT(strstr(text, "USE") == NULL);
  wb_supervisor_field_remove_sf(field("BALL", "boundingObject"));
  EXPECT(wb_supervisor_node_get_from_def("ROUND") == NULL);
  wb_robot_step(kStep);
  take_messages();
}

/* A parameter has the same definition in a PROTO and in the PROTO that it is derived from. */
static void derived_parameters(void) {
  const WbProtoRef proto = wb_supervisor_node_get_proto(find("DERIVED"));
  const WbFieldRef mass =
      wb_supervisor_proto_get_field(wb_supervisor_proto_get_parent(proto), "mass");
  EXPECT_IS(wb_supervisor_field_get_sf_float(mass), 7.0);
  wb_supervisor_field_set_sf_float(field("DERIVED", "load"), 12.5);
  EXPECT_IS(wb_supervisor_field_get_sf_float(mass), 12.5);
  wb_robot_step(kStep);
  EXPECT_IS(wb_supervisor_field_get_sf_float(mass), 12.5);
  wb_supervisor_field_set_sf_float(field("DERIVED", "load"), -12.5);
  wb_robot_step(kStep);
  EXPECT_IS(number("DERIVED", "load"), -1.0);
  EXPECT_IS(wb_supervisor_field_get_sf_float(mass), -1.0);
  take_messages();
}

int main(void) {
  api_begin();
  wb_robot_init();
  take_messages();
  substitutes_of_loading();
  EXPECT_SILENCE();
  substitutes_of_changes();
  limits_of_a_joint_that_moved();
  coupled_motors();
  kinds_of_nodes();
  places_of_messages();
  uses();
  derived_parameters();
  wb_robot_cleanup();
  return api_end();
}

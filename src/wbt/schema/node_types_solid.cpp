// SPDX-License-Identifier: Apache-2.0
// The part of the field table for groups, solids and robots.
#include "wbt/schema/node_table.h"

namespace servosim::wbt {
namespace {

using enum ValueType;
using enum EditEffect;

constexpr FieldType kGroup[] = {
    row("children", MFNode, "[]", "", "", "The nodes below this one."),
};

constexpr FieldType kPose[] = {
    on_edit(Place,
            row("translation", SFVec3f, "0 0 0", "m", "", "Position in the frame of the parent.")),
    until(R(2021, 'b'),
          on_edit(Place, row("rotation", SFRotation, "0 1 0 0", "rad", "",
                             "Orientation in the frame of the parent: axis and angle [rad]."))),
    since(R(2022, 'a'),
          on_edit(Place, row("rotation", SFRotation, "0 0 1 0", "rad", "",
                             "Orientation in the frame of the parent: axis and angle [rad]."))),
    on_edit(None, row("translationStep", SFFloat, "0.01", "m", "[0, inf)",
                      "Step by which the user interface moves it.")),
    on_edit(None, row("rotationStep", SFFloat, "0.261799387", "rad", "[0, inf)",
                      "Step by which the user interface turns it.")),
};

constexpr FieldType kTransform[] = {
    on_edit(Frame, row("scale", SFVec3f, "1 1 1", "-", "",
                       "Scale of everything below; uniform for what collides.")),
};

constexpr FieldType kSolid[] = {
    until(V(5, 10), row("name", SFString, "\"\"", "", "", "Name, unique among its siblings.")),
    since(V(6, 0), row("name", SFString, "\"solid\"", "", "", "Name, unique among its siblings.")),
    row("model", SFString, "\"\"", "", "", "Name of the kind of object."),
    on_edit(None, row("description", SFString, "\"\"", "", "", "Free text.")),
    row("contactMaterial", SFString, "\"default\"", "", "",
        "Name by which ContactProperties choose the friction of its surface."),
    row("immersionProperties", MFNode, "[]", "", "", "How it behaves in Fluids; not simulated."),
    row("boundingObject", SFNode, "NULL", "", "",
        "What collides, and by default where the mass is: geometries, Shapes, Poses or a Group of "
        "them."),
    row("physics", SFNode, "NULL", "", "",
        "Mass properties; without Physics the Solid does not move by forces."),
    on_edit(None, row("locked", SFBool, "FALSE", "", "",
                      "Keeps the user from moving it with the mouse.")),
    row("radarCrossSection", SFFloat, "0.0", "m²", "[0, inf)",
        "How well a Radar sees it; 0 for not at all."),
    on_edit(None, row("recognitionColors", MFColor, "[]", "-", "",
                      "Colours by which Cameras recognise it; empty for not at all.")),
    on_edit(Live, row("linearVelocity", SFVec3f, "0 0 0", "m/s", "",
                      "Saved velocity: the one it starts with.")),
    on_edit(Live, row("angularVelocity", SFVec3f, "0 0 0", "rad/s", "",
                      "Saved angular velocity: the one it starts with.")),
    extension(row("forceTorqueSensor", SFString, "\"\"", "", "",
                  "Name of a TouchSensor of six values where it is fixed; empty for none.")),
    until(R(2023, 'b'),
          on_edit(Frame, row("scale", SFVec3f, "1 1 1", "-", "all > 0",
                             "Scale of everything below; uniform for what collides."))),
    until(V(6, 2), row("author", SFString, "\"\"", "", "", "Author of the model.")),
    until(V(6, 2), row("constructor", SFString, "\"\"", "", "", "Maker of the real object.")),
    until(V(5, 4),
          row("joint", SFNode, "NULL", "", "", "A joint to the parent in worlds before V5.5.")),
};

constexpr FieldType kPhysics[] = {
    row("density", SFFloat, "1000", "kg/m³", "-1 or [0, inf)",
        "Density of the bounding object, used when mass is -1; -1 to use mass."),
    row("mass", SFFloat, "-1", "kg", "-1 or [0, inf)", "Mass; -1 to use density."),
    row("centerOfMass", MFVec3f, "[]", "m", "none or 1 vector",
        "Centre of mass in the frame of the Solid; none for that of the bounding object."),
    row("inertiaMatrix", MFVec3f, "[]", "kg·m²", "none or 2 vectors",
        "Inertia about the centre of mass: Ixx Iyy Izz, then Ixy Ixz Iyz; none for that of the "
        "bounding object. Before V6.3 the centre of mass stood before these."),
    since(V(6, 4), row("damping", SFNode, "NULL", "", "",
                       "Damping of the body; NULL for WorldInfo.defaultDamping.")),
    until(V(6, 2), row("orientation", SFRotation, "0 1 0 0", "rad", "",
                       "Orientation of the axes of centerOfMass and inertiaMatrix.")),
    until(R(2018, 'b'), row("coulombFriction", SFFloat, "1", "-", "[0, inf)",
                            "Friction of the body before ContactProperties existed.")),
    until(R(2018, 'b'), row("bounce", SFFloat, "0.5", "-", "[0, 1]",
                            "Bounce of the body before ContactProperties existed.")),
    until(R(2018, 'b'), row("bounceVelocity", SFFloat, "0.01", "m/s", "[0, inf)",
                            "Slowest impact that bounces, before ContactProperties existed.")),
    until(R(2018, 'b'), row("forceDependentSlip", SFFloat, "0", "s/kg", "[0, inf)",
                            "Slip of the body before ContactProperties existed.")),
};

constexpr FieldType kImmersionProperties[] = {
    row("fluidName", SFString, "\"\"", "", "", "Name of the Fluid these properties are for."),
    row("referenceArea", SFString, "\"immersed area\"", "",
        "\"immersed area\" | \"xyz-projected area\"", "Area the drag is proportional to."),
    row("dragForceCoefficients", SFVec3f, "0 0 0", "-", "", "Drag per axis."),
    row("dragTorqueCoefficients", SFVec3f, "0 0 0", "-", "", "Drag against turning per axis."),
    row("viscousResistanceForceCoefficient", SFFloat, "0", "1/s", "[0, inf)", "Viscous drag."),
    row("viscousResistanceTorqueCoefficient", SFFloat, "0", "m²/s", "[0, inf)",
        "Viscous drag against turning."),
};

constexpr FieldType kFluid[] = {
    since(V(6, 0), row("name", SFString, "\"fluid\"", "", "", "Name of the fluid.")),
    row("model", SFString, "\"\"", "", "", "Name of the kind of object."),
    on_edit(None, row("description", SFString, "\"\"", "", "", "Free text.")),
    row("density", SFFloat, "1000", "kg/m³", "[0, inf)", "Density of the fluid."),
    row("viscosity", SFFloat, "0.001", "kg/(m·s)", "[0, inf)", "Viscosity of the fluid."),
    row("streamVelocity", SFVec3f, "0 0 0", "m/s", "", "Velocity at which the fluid flows."),
    row("boundingObject", SFNode, "NULL", "", "", "Where the fluid is."),
    on_edit(None, row("locked", SFBool, "FALSE", "", "",
                      "Keeps the user from moving it with the mouse.")),
    until(R(2023, 'b'),
          on_edit(Frame, row("scale", SFVec3f, "1 1 1", "-", "all > 0",
                             "Scale of everything below; uniform for what collides."))),
};

constexpr FieldType kRobot[] = {
    since(V(6, 0),
          row("name", SFString, "\"robot\"", "", "",
              "Name of the robot, unique in the world; an extern controller gives it to connect.")),
    until(R(2021, 'b'),
          row("controller", SFString, "\"void\"", "", "",
              "Folder and name of its controller program; \"<extern>\" waits for one started by "
              "hand, \"void\", \"<generic>\", \"<none>\" and \"\" mean none.")),
    since(R(2022, 'a'),
          row("controller", SFString, "\"<generic>\"", "", "",
              "Folder and name of its controller program; \"<extern>\" waits for one started by "
              "hand, \"void\", \"<generic>\", \"<none>\" and \"\" mean none.")),
    row("controllerArgs", MFString, "[]", "", "", "Arguments of the controller program."),
    since(R(2018, 'a'), on_edit(None, row("customData", SFString, "\"\"", "", "",
                                          "Text a controller may read and write."))),
    since(R(2019, 'a'), row("supervisor", SFBool, "FALSE", "", "",
                            "Whether the controller may use the supervisor functions.")),
    row("synchronization", SFBool, "TRUE", "", "",
        "Whether the simulation waits for the controller."),
    on_edit(Live, row("battery", MFFloat, "[]", "J, J, W", "none or 3 values, [0, inf)",
                      "Energy left, largest energy, charging power; empty for an endless supply.")),
    until(V(8, 4), row("cpuConsumption", SFFloat, "0", "W", "[0, inf)",
                       "Power the processor of the robot takes.")),
    since(V(8, 5), row("cpuConsumption", SFFloat, "10", "W", "[0, inf)",
                       "Power the processor of the robot takes.")),
    row("selfCollision", SFBool, "FALSE", "", "", "Whether its parts collide with each other."),
    until(R(2021, 'b'),
          on_edit(None, row("window", SFString, "\"\"", "", "", "Name of the robot window."))),
    since(R(2022, 'a'), on_edit(None, row("window", SFString, "\"<generic>\"", "", "",
                                          "Name of the robot window."))),
    until(R(2021, 'b'), row("remoteControl", SFString, "\"\"", "", "",
                            "Name of a remote control plugin; not supported.")),
    since(R(2022, 'a'), row("remoteControl", SFString, "\"<none>\"", "", "",
                            "Name of a remote control plugin; not supported.")),
    row("data", SFString, "\"\"", "", "", "Earlier name of customData."),
    until(R(2021, 'b'),
          row("showWindow", SFBool, "FALSE", "", "", "Whether the robot window opens.")),
    until(V(8, 4), row("showRobotWindow", SFBool, "FALSE", "", "", "Earlier name of showWindow.")),
    until(V(8, 4), row("robotWindow", SFString, "\"\"", "", "", "Earlier name of window.")),
};

constexpr FieldType kDifferentialWheels[] = {
    since(V(6, 0), row("name", SFString, "\"differential wheels\"", "", "",
                       "Name, by which a controller finds it.")),
    row("cpuConsumption", SFFloat, "0", "W", "[0, inf)", "Power the processor of the robot takes."),
    row("motorConsumption", SFFloat, "0", "W", "[0, inf)", "Power the motors take."),
    row("axleLength", SFFloat, "0.1", "m", "[0, inf)", "Distance between the wheels."),
    row("wheelRadius", SFFloat, "0.01", "m", "[0, inf)", "Radius of the wheels."),
    row("maxSpeed", SFFloat, "10", "rad/s", "[0, inf)", "Fastest turn of a wheel."),
    row("maxAcceleration", SFFloat, "10", "rad/s²", "[0, inf)",
        "Acceleration of a wheel without Physics."),
    row("speedUnit", SFFloat, "1", "rad/s", "[0, inf)", "Wheel speed that a command of 1 means."),
    row("slipNoise", SFFloat, "0.1", "-", "[0, inf)", "Random part of the wheel speed."),
    row("encoderNoise", SFFloat, "-1", "-", "-1 or [0, inf)",
        "Random part of the encoders; -1 for no encoders."),
    row("encoderResolution", SFFloat, "-1", "1/rad", "-1 or [0, inf)",
        "Pulses of the encoders per angle; -1 for no encoders."),
    row("maxForce", SFFloat, "0.3", "N·m", "[0, inf)", "Largest torque on a wheel."),
};

constexpr FieldType kServo[] = {
    row("type", SFString, "\"rotational\"", "", "\"rotational\" | \"linear\" | \"none\"",
        "Rotational turns about the axis of rotation, linear slides along the local z axis, none "
        "makes no joint."),
    on_edit(CoupledLimit, row("maxVelocity", SFFloat, "10", "rad/s or m/s", "(0, inf)",
                              "Speed limit, and the speed until the controller sets one.")),
    row("maxForce", SFFloat, "10", "N·m or N", "[0, inf)",
        "Torque or force limit; 0 makes a passive joint."),
    row("controlP", SFFloat, "10", "1/s", "(0, inf)", "Gain from position error to velocity."),
    on_edit(Setting, row("acceleration", SFFloat, "-1", "rad/s² or m/s²", "-1 or (0, inf)",
                         "Acceleration limit; -1 for none.")),
    on_edit(Live, row("position", SFFloat, "0", "rad or m", "",
                      "Initial position; translation and rotation are those at position 0.")),
    on_edit(PositionLimit, row("minPosition", SFFloat, "0", "rad or m", "(-inf, 0]",
                               "Lower limit of target positions; no limits when both are 0.")),
    on_edit(PositionLimit, row("maxPosition", SFFloat, "0", "rad or m", "[0, inf)",
                               "Upper limit of target positions; no limits when both are 0.")),
    on_edit(JointFrame, row("minStop", SFFloat, "0", "rad or m", "[-pi, 0]",
                            "Lower hard stop of the joint; no stops when both are 0.")),
    on_edit(JointFrame, row("maxStop", SFFloat, "0", "rad or m", "[0, pi]",
                            "Upper hard stop of the joint; no stops when both are 0.")),
    row("springConstant", SFFloat, "0", "N·m/rad or N/m", "[0, inf)", "Spring towards position 0."),
    row("dampingConstant", SFFloat, "0", "N·m·s/rad or N·s/m", "[0, inf)",
        "Damper in parallel to the motor."),
    since(V(7, 0, 3), row("staticFriction", SFFloat, "0", "N·m or N", "[0, inf)",
                          "Dry friction; acts where the motor force is smaller.")),
    on_edit(Place, row("rotation", SFRotation, "0 1 0 0", "rad", "",
                       "Orientation at position 0: the axis (also the joint's, when rotational) "
                       "and angle [rad].")),
    extension(row("servo", SFString, "\"\"", "", "",
                  "The real servo that this one is, such as `STS3215 firmware.p=16`.")),
};

constexpr FieldType kCharger[] = {
    since(V(6, 0),
          row("name", SFString, "\"charger\"", "", "", "Name, by which a controller finds it.")),
    row("battery", MFFloat, "[]", "J, J, W", "[0, inf)",
        "Energy left, largest energy, charging power."),
    row("radius", SFFloat, "0.04", "m", "[0, inf)", "Distance within which robots are charged."),
    row("emissiveColor", SFColor, "0 1 0", "-", "", "Colour when it is full."),
    row("gradual", SFBool, "TRUE", "", "", "Whether the colour follows the energy."),
};

constexpr FieldType kSlot[] = {
    row("type", SFString, "\"\"", "", "",
        "Only Slots of the same type connect; one ending in + fits one ending in -."),
    row("endPoint", SFNode, "NULL", "", "", "The Slot or Solid that is plugged in."),
};

constexpr FieldType kSolidReference[] = {
    row("solidName", SFString, "\"\"", "", "",
        "Name of the Solid, below the same top Solid, that the joint leads to; \"<static "
        "environment>\" is the world."),
};

constexpr FieldType kPropeller[] = {
    row("shaftAxis", SFVec3f, "1 0 0", "-", "", "Axis of the propeller."),
    row("centerOfThrust", SFVec3f, "0 0 0", "m", "", "Where thrust and torque act."),
    row("thrustConstants", SFVec2f, "1 0", "N·s²/rad², N·s²/(rad·m)", "",
        "Thrust per turning speed squared, and per its product with the speed through the air."),
    row("torqueConstants", SFVec2f, "1 0", "N·m·s²/rad², N·s²/rad", "",
        "Torque per turning speed squared, and per its product with the speed through the air."),
    since(R(2019, 'b', 1), row("fastHelixThreshold", SFFloat, "75.4", "rad/s", "[0, inf)",
                               "Speed from which the fast helix is shown.")),
    row("device", SFNode, "NULL", "", "", "The RotationalMotor that turns it."),
    row("fastHelix", SFNode, "NULL", "", "", "Solid shown at high speed."),
    row("slowHelix", SFNode, "NULL", "", "", "Solid shown at low speed."),
};

constexpr FieldType kTrack[] = {
    since(V(6, 0),
          row("name", SFString, "\"track\"", "", "", "Name, by which a controller finds it.")),
    row("device", MFNode, "[]", "", "", "LinearMotor, PositionSensor and Brake of the belt."),
    row("textureAnimation", SFVec2f, "0 0", "-", "", "How the texture moves with the belt."),
    row("animatedGeometry", SFNode, "NULL", "", "", "Shape repeated along the belt."),
    row("geometriesCount", SFInt32, "10", "-", "[0, inf)", "How often that shape is repeated."),
    between(V(8, 1), V(8, 1),
            row("motor", SFNode, "NULL", "", "", "Motor of the belt; device took its place.")),
};

constexpr FieldType kTrackWheel[] = {
    on_edit(Frame, row("position", SFVec2f, "0 0", "m", "", "Centre of the wheel.")),
    on_edit(Place,
            row("rotation", SFRotation, "1 0 0 1.5708", "rad", "", "Orientation of the wheel.")),
    row("radius", SFFloat, "0.1", "m", "[0, inf)", "Radius of the wheel."),
    row("inner", SFBool, "TRUE", "", "", "Whether the belt runs outside of it."),
};

constexpr NodeRows kSolidNodes[] = {
    {"Group", "", "", kAlways, NodeKind::Grouping, kGroup},
    {"Pose", "Group", "Group", R(2023, 'b'), NodeKind::Grouping, kPose},
    {"Transform", "Pose", "Pose", kAlways, NodeKind::Grouping, kTransform},
    {"Billboard", "Group", "Group", R(2021, 'b'), NodeKind::Grouping, {}},
    {"Solid", "Pose", "Pose", kAlways, NodeKind::Plain, kSolid},
    {"Physics", "", "", kAlways, NodeKind::Plain, kPhysics},
    {"ImmersionProperties", "", "", V(8, 0), NodeKind::Plain, kImmersionProperties},
    {"Fluid", "Pose", "Pose", V(8, 0), NodeKind::Plain, kFluid},
    {"Robot", "Solid", "Solid", kAlways, NodeKind::Plain, kRobot},
    {"DifferentialWheels", "Robot", "Robot", kAlways, NodeKind::Plain, kDifferentialWheels},
    {"Servo", "Solid", "Solid", kAlways, NodeKind::Device, kServo, V(8, 6)},
    {"Charger", "Solid", "Solid", kAlways, NodeKind::Plain, kCharger},
    {"Slot", "", "", V(8, 0), NodeKind::Plain, kSlot},
    {"SolidReference", "", "", V(7, 2), NodeKind::Plain, kSolidReference},
    {"Propeller", "", "", V(7, 3), NodeKind::Plain, kPropeller},
    {"Track", "Solid", "Solid", V(8, 1), NodeKind::Device, kTrack},
    {"TrackWheel", "Group", "Group", V(8, 2), NodeKind::Plain, kTrackWheel},
};

}  // namespace

std::span<const NodeRows> solid_nodes() { return kSolidNodes; }

}  // namespace servosim::wbt

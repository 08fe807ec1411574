// SPDX-License-Identifier: Apache-2.0
// The part of the field table for joints, motors and other nodes in a joint.
#include "wbt/schema/node_table.h"

namespace servosim::wbt {
namespace {

using enum ValueType;
using enum EditEffect;

constexpr FieldType kJoint[] = {
    on_edit(JointParameters,
            row("jointParameters", SFNode, "NULL", "", "",
                "Axis, limits and passive forces of the joint; NULL for the defaults.")),
    row("device", MFNode, "[]", "", "",
        "Motor, PositionSensor and Brake of the first axis, at most one of each."),
    row("endPoint", SFNode, "NULL", "", "", "The Solid that moves, or a SolidReference or Slot."),
    extension(row("forceTorqueSensor", SFString, "\"\"", "", "",
                  "Name of a TouchSensor of six values in the joint; empty for none.")),
    on_edit(Live, row("position", SFFloat, "0", "rad or m", "",
                      "Saved position of the first axis, when jointParameters is NULL.")),
};

constexpr FieldType kAnyJointParameters[] = {
    on_edit(Live,
            row("position", SFFloat, "0", "rad or m", "",
                "Initial position; the endPoint's translation and rotation already contain it.")),
    on_edit(JointFrame, row("minStop", SFFloat, "0", "rad or m", "",
                            "Lower hard stop; no stops when equal to maxStop.")),
    on_edit(JointFrame, row("maxStop", SFFloat, "0", "rad or m", "",
                            "Upper hard stop; no stops when equal to minStop.")),
    row("springConstant", SFFloat, "0", "N·m/rad or N/m", "[0, inf)",
        "Spring towards springReference."),
    row("dampingConstant", SFFloat, "0", "N·m·s/rad or N·s/m", "[0, inf)", "Damper of the joint."),
    row("staticFriction", SFFloat, "0", "N·m or N", "[0, inf)",
        "Dry friction; acts where the motor force is smaller."),
    extension(row("springReference", SFFloat, "0", "rad or m", "[-1e8, 1e8]",
                  "Position at which the spring has no force.")),
};

constexpr FieldType kJointParameters[] = {
    on_edit(JointFrame, row("axis", SFVec3f, "0 0 1", "-", "",
                            "Direction of the axis in the parent's frame; null becomes 0 0 1.")),
    extension(row("backlash", SFFloat, "0", "rad or m", "[0, inf)",
                  "Free play between motor and endPoint, in total.")),
    extension(row("armature", SFFloat, "0", "kg·m² or kg", "[0, inf)",
                  "Inertia of the rotor, times the square of the gear ratio.")),
    extension(row("coupling", SFString, "\"\"", "", "",
                  "What the position follows: ratios times names of joints, plus an offset.")),
    extension(row("couplingCompliance", SFFloat, "0", "rad/(N·m) or m/N", "[0, inf)",
                  "How far the coupling yields to a torque or force; 0 for a rigid one.")),
    extension(row("couplingBacklash", SFFloat, "0", "rad or m", "[0, inf)",
                  "Free play of the coupling, in total.")),
};

constexpr FieldType kHingeJointParameters[] = {
    on_edit(JointFrame, row("axis", SFVec3f, "1 0 0", "-", "",
                            "Direction of the axis in the parent's frame; null becomes 1 0 0.")),
    on_edit(JointFrame, row("anchor", SFVec3f, "0 0 0", "m", "",
                            "A point the axis goes through, in the parent's frame.")),
    on_edit(JointFrame, row("minStop", SFFloat, "0", "rad", "",
                            "Lower hard stop, with turns; no stops when equal to maxStop.")),
    on_edit(JointFrame, row("maxStop", SFFloat, "0", "rad", "",
                            "Upper hard stop, with turns; no stops when equal to minStop.")),
    since(V(8, 0), row("suspensionSpringConstant", SFFloat, "0", "N/m", "[0, inf)",
                       "Spring of the suspension.")),
    since(V(8, 0), row("suspensionDampingConstant", SFFloat, "0", "N·s/m", "[0, inf)",
                       "Damper of the suspension.")),
    since(V(8, 0), row("suspensionAxis", SFVec3f, "1 0 0", "-", "",
                       "Direction in which the suspension gives way, in the parent's frame.")),
    since(
        R(2021, 'b'),
        row("stopERP", SFFloat, "-1", "-", "-1 or [0, inf)",
            "Share of the error at a stop that is corrected in each step; -1 for WorldInfo.ERP.")),
    since(R(2021, 'b'), row("stopCFM", SFFloat, "-1", "s/kg or rad/(N·m·s)", "-1 or (0, inf)",
                            "Softness of the stops; -1 for WorldInfo.CFM.")),
};

constexpr FieldType kBallJointParameters[] = {
    on_edit(JointFrame, row("anchor", SFVec3f, "0 0 0", "m", "",
                            "A point the axis goes through, in the parent's frame.")),
};

constexpr FieldType kHinge2Joint[] = {
    on_edit(JointParameters,
            row("jointParameters2", SFNode, "NULL", "", "", "Parameters of the second axis.")),
    row("device2", MFNode, "[]", "", "",
        "Motor, PositionSensor and Brake of the second axis, at most one of each."),
    on_edit(Live, row("position2", SFFloat, "0", "rad", "",
                      "Saved position of the second axis, when jointParameters2 is NULL.")),
};

constexpr FieldType kBallJoint[] = {
    on_edit(JointParameters,
            row("jointParameters3", SFNode, "NULL", "", "", "Parameters of the third axis.")),
    row("device3", MFNode, "[]", "", "",
        "Motor, PositionSensor and Brake of the third axis, at most one of each."),
    on_edit(Live, row("position3", SFFloat, "0", "rad", "",
                      "Saved position of the third axis, when jointParameters3 is NULL.")),
};

constexpr FieldType kMotor[] = {
    on_edit(Setting, row("acceleration", SFFloat, "-1", "rad/s² or m/s²", "-1 or [0, inf)",
                         "Acceleration limit; -1 for none.")),
    row("consumptionFactor", SFFloat, "10", "W/(N·m) or W/N", "[0, inf)",
        "Power taken from the battery per force or torque."),
    since(V(7, 3), on_edit(Setting, row("controlPID", SFVec3f, "10 0 0", "1/s, 1/s², -",
                                        "P > 0, I >= 0, D >= 0",
                                        "Gains from position error to velocity: P, I and D."))),
    between(
        V(7, 2), V(7, 3),
        row("controlP", SFFloat, "10", "1/s", "(0, inf)", "Gain from position error to velocity.")),
    on_edit(CoupledLimit, row("maxVelocity", SFFloat, "10", "rad/s or m/s", "[0, inf)",
                              "Speed limit, and the speed until the controller sets one.")),
    on_edit(PositionLimit,
            row("minPosition", SFFloat, "0", "rad or m", "",
                "Lower limit of target positions; no limits when equal to maxPosition.")),
    on_edit(PositionLimit,
            row("maxPosition", SFFloat, "0", "rad or m", "",
                "Upper limit of target positions; no limits when equal to minPosition.")),
    since(R(2021, 'b'),
          on_edit(CoupledLimit, row("multiplier", SFFloat, "1", "-", "not 0",
                                    "Factor on commands, to couple motors named `a::b`; not 0."))),
    since(R(2018, 'a'), row("muscles", MFNode, "[]", "", "", "Muscles drawn with the motor.")),
    between(V(8, 6), V(8, 6),
            row("muscle", SFNode, "NULL", "", "", "Muscle drawn with the motor.")),
    extension(row("servo", SFString, "\"\"", "", "",
                  "The real servo that this motor is, such as `STS3215 firmware.p=16`.")),
};

constexpr FieldType kRotationalMotor[] = {
    since(V(6, 0), row("name", SFString, "\"rotational motor\"", "", "",
                       "Name, by which a controller finds it.")),
    row("maxTorque", SFFloat, "10", "N·m", "[0, inf)", "Torque limit; 0 makes a passive joint."),
    until(R(2021, 'b'),
          row("sound", SFString, "\"sounds/rotational_motor.wav\"", "", "", "Sound of the motor.")),
    since(R(2022, 'a'),
          row("sound", SFString, "\"webots://projects/default/worlds/sounds/rotational_motor.wav\"",
              "", "", "Sound of the motor.")),
};

constexpr FieldType kLinearMotor[] = {
    since(V(6, 0), row("name", SFString, "\"linear motor\"", "", "",
                       "Name, by which a controller finds it.")),
    row("maxForce", SFFloat, "10", "N", "[0, inf)", "Force limit; 0 makes a passive joint."),
    until(R(2021, 'b'),
          row("sound", SFString, "\"sounds/linear_motor.wav\"", "", "", "Sound of the motor.")),
    since(R(2022, 'a'),
          row("sound", SFString, "\"webots://projects/default/worlds/sounds/linear_motor.wav\"", "",
              "", "Sound of the motor.")),
};

constexpr FieldType kPositionSensor[] = {
    since(V(6, 0), row("name", SFString, "\"position sensor\"", "", "",
                       "Name, by which a controller finds it.")),
    since(R(2019, 'a'),
          row("noise", SFFloat, "0", "rad or m", "[0, inf)", "Standard deviation of the reading.")),
    row("resolution", SFFloat, "-1", "rad or m", "-1 or [0, inf)",
        "Step of the reading; -1 for none."),
};

constexpr FieldType kBrake[] = {
    since(V(6, 0),
          row("name", SFString, "\"brake\"", "", "", "Name, by which a controller finds it.")),
};

constexpr FieldType kMuscle[] = {
    row("volume", SFFloat, "0.01", "m³", "(0, inf)", "Volume of the muscle."),
    row("startOffset", SFVec3f, "0 0 0", "m", "", "Where it starts, in the parent's frame."),
    row("endOffset", SFVec3f, "0 0 0", "m", "", "Where it ends, in the endPoint's frame."),
    row("color", MFColor, "[]", "-", "", "Colours at rest, contracting and relaxing."),
    on_edit(None, row("castShadows", SFBool, "TRUE", "", "", "Whether it throws shadows.")),
    row("visible", SFBool, "TRUE", "", "", "Whether it is drawn."),
    until(R(2019, 'a'),
          row("maxRadius", SFFloat, "0.2", "m", "", "Largest radius; volume took its place.")),
    since(R(2019, 'b'),
          row("maxRadius", SFFloat, "0", "m", "", "Largest radius; volume took its place.")),
    between(V(8, 6), R(2019, 'a'), row("colors", MFColor, "[]", "-", "", "Earlier name of color.")),
};

constexpr NodeRows kJointNodes[] = {
    {"Joint", "", "", kAlways, NodeKind::Abstract, kJoint},
    {"AnyJointParameters", "", "", kAlways, NodeKind::Abstract, kAnyJointParameters},
    {"JointParameters", "", "AnyJointParameters", V(7, 2), NodeKind::Plain, kJointParameters},
    {"HingeJointParameters", "JointParameters", "JointParameters", V(7, 2), NodeKind::Plain,
     kHingeJointParameters},
    {"BallJointParameters", "JointParameters", "AnyJointParameters", V(7, 2), NodeKind::Plain,
     kBallJointParameters},
    {"HingeJoint", "Joint", "Joint", V(7, 2), NodeKind::Plain, {}},
    {"SliderJoint", "Joint", "Joint", V(7, 2), NodeKind::Plain, {}},
    {"Hinge2Joint", "HingeJoint", "HingeJoint", V(7, 2), NodeKind::Plain, kHinge2Joint},
    {"BallJoint", "Hinge2Joint", "Hinge2Joint", V(7, 2), NodeKind::Plain, kBallJoint},
    {"Motor", "Device", "", kAlways, NodeKind::Abstract, kMotor},
    {"RotationalMotor", "Motor", "Motor", V(7, 2), NodeKind::Device, kRotationalMotor},
    {"LinearMotor", "Motor", "Motor", V(7, 2), NodeKind::Device, kLinearMotor},
    {"PositionSensor", "Device", "", V(7, 2), NodeKind::Device, kPositionSensor},
    {"Brake", "Device", "", V(8, 0), NodeKind::Device, kBrake},
    {"Muscle", "", "", V(8, 6), NodeKind::Plain, kMuscle},
};

}  // namespace

std::span<const NodeRows> joint_nodes() { return kJointNodes; }

}  // namespace servosim::wbt

// SPDX-License-Identifier: Apache-2.0
// The part of the field table for the world and its lights.
#include "wbt/schema/node_table.h"

namespace servosim::wbt {
namespace {

using enum ValueType;
using enum EditEffect;

constexpr FieldType kWorldInfo[] = {
    on_edit(None, row("info", MFString, "[]", "", "",
                      "Free text about the world, e.g. author and date.")),
    on_edit(None, row("title", SFString, "\"\"", "", "", "Title of the world.")),
    until(R(2021, 'b'), on_edit(None, row("window", SFString, "\"\"", "", "",
                                          "Robot window of the world; not simulated."))),
    since(R(2022, 'a'), on_edit(None, row("window", SFString, "\"<none>\"", "", "",
                                          "Robot window of the world; not simulated."))),
    until(R(2020, 'a'), row("gravity", SFFloatOrVec3f, "0 -9.81 0", "m/s²", "[0, inf)",
                            "Gravity: its strength along the down axis of coordinateSystem, or "
                            "before R2020b the vector itself.")),
    since(R(2020, 'b'), row("gravity", SFFloatOrVec3f, "9.81", "m/s²", "[0, inf)",
                            "Gravity: its strength along the down axis of coordinateSystem, or "
                            "before R2020b the vector itself.")),
    row("CFM", SFFloat, "0.00001", "s/kg or rad/(N·m·s)", "(0, inf)",
        "Constraint force mixing of all joints: 0 is rigid, more is softer."),
    row("ERP", SFFloat, "0.2", "-", "[0, 1]",
        "Share of a joint's position error that is corrected in each step."),
    until(R(2021, 'b'), row("physics", SFString, "\"\"", "", "",
                            "Name of a physics plugin; plugins are not run.")),
    since(R(2022, 'a'), row("physics", SFString, "\"<none>\"", "", "",
                            "Name of a physics plugin; plugins are not run.")),
    row("basicTimeStep", SFFloat, "32", "ms", "(0, inf)", "Length of one simulation step."),
    since(V(7, 2, 2), row("FPS", SFFloat, "60", "1/s", "[1, inf)",
                          "Frames the 3D view should draw per second.")),
    since(V(8, 1), row("optimalThreadCount", SFInt32, "1", "-", "[1, inf)",
                       "Threads of the physics engine; has no effect here.")),
    since(V(6, 3, 2), row("physicsDisableTime", SFFloat, "1", "s", "[0, inf)",
                          "A body at rest for so long falls asleep; 0 keeps all awake.")),
    since(V(6, 3, 2), row("physicsDisableLinearThreshold", SFFloat, "0.01", "m/s", "[0, inf)",
                          "A body slower than this counts as at rest.")),
    since(V(6, 3, 2), row("physicsDisableAngularThreshold", SFFloat, "0.01", "rad/s", "[0, inf)",
                          "A body that turns slower than this counts as at rest.")),
    since(V(6, 4), row("defaultDamping", SFNode, "NULL", "", "",
                       "Damping of bodies whose Physics has none.")),
    row("inkEvaporation", SFFloat, "0", "-", "[0, inf)", "Speed at which the ink of Pens fades."),
    since(R(2020, 'b'),
          row("coordinateSystem", SFString, "\"ENU\"", "", "\"ENU\" | \"NUE\" | \"EUN\"",
              "Which axes are east, north and up; decides where gravity points.")),
    since(V(8, 4), row("gpsCoordinateSystem", SFString, "\"local\"", "", "\"local\" | \"WGS84\"",
                       "Whether a GPS returns metres or degrees of latitude and longitude.")),
    since(V(8, 4),
          row("gpsReference", SFVec3f, "0 0 0", "°, °, m or m", "",
              "Origin of the world: latitude, longitude and altitude, or an offset in metres.")),
    row("lineScale", SFFloat, "0.1", "m", "[0, inf)", "Length of the helper lines in the 3D view."),
    since(R(2021, 'b'), row("dragForceScale", SFFloat, "30.0", "N/m", "(0, inf)",
                            "Strength of dragging a solid with the mouse.")),
    since(R(2021, 'b'), row("dragTorqueScale", SFFloat, "5.0", "N", "(0, inf)",
                            "Strength of turning a solid with the mouse.")),
    since(R(2018, 'b'), row("randomSeed", SFInt32, "0", "-", "-1 or [0, inf)",
                            "Seed of the noise of sensors; -1 takes a new one each time.")),
    since(V(6, 4), row("contactProperties", MFNode, "[]", "", "",
                       "How pairs of contact materials touch: a list of ContactProperties.")),
    until(R(2020, 'a'), row("northDirection", SFVec3f, "1 0 0", "-", "",
                            "Direction of north, for Compass and InertialUnit.")),
    since(R(2020, 'b'), row("northDirection", SFVec3f, "0 1 0", "-", "",
                            "Direction of north, for Compass and InertialUnit.")),
    row("fast2d", SFString, "\"\"", "", "", "Name of a 2D plugin; not supported."),
    extension(row("integrator", SFString, "\"ode\"", "", "\"ode\" | \"joint\"",
                  "How bodies move: as in Webots, or in the coordinates of the joints.")),
    extension(row("evaluations", SFInt32, "0", "-", "[0, 8]",
                  "Evaluations of a step of the integrator \"joint\"; 0 for as many as it needs.")),
    extension(row("accuracy", SFFloat, "0", "rad or m", "[0, 1]",
                  "Most error of a joint in a step of the integrator \"joint\"; 0 for any.")),
    until(V(7, 2, 1), row("displayRefresh", SFInt32, "2", "-", "[1, inf)",
                          "Steps between two pictures of the 3D view; FPS took its place.")),
    until(V(7, 0),
          row("runRealTime", SFBool, "FALSE", "", "", "Whether to slow down to real time.")),
    between(V(6, 0), V(7, 2), row("sound", SFString, "\"\"", "", "", "Sound of the world.")),
};

constexpr FieldType kContactProperties[] = {
    row("material1", SFString, "\"default\"", "", "", "One contact material of the pair."),
    row("material2", SFString, "\"default\"", "", "", "The other contact material of the pair."),
    row("coulombFriction", MFFloat, "1", "-", "[0, inf) or -1",
        "Coulomb friction coefficients, one for all directions or two to four for asymmetric "
        "friction; -1 is infinite."),
    since(V(8, 0), row("frictionRotation", SFVec2f, "0 0", "rad", "",
                       "Turn of the friction directions on the first and the second material.")),
    since(R(2022, 'a'),
          row("rollingFriction", SFVec3f, "0 0 0", "m", "[0, inf)",
              "Friction against rolling and spinning: rho, rho2 and rhoN; -1 is infinite.")),
    row("bounce", SFFloat, "0.5", "-", "[0, 1]",
        "Share of the speed that is left after an impact."),
    row("bounceVelocity", SFFloat, "0.01", "m/s", "[0, inf)", "Slowest impact that bounces."),
    row("forceDependentSlip", MFFloat, "0", "s/kg", "[0, inf)",
        "Slip speed per tangential force, one for all directions or as coulombFriction."),
    since(V(7, 2), row("softERP", SFFloat, "0.2", "-", "[0, 1]",
                       "Share of the penetration that is corrected in each step.")),
    since(V(7, 2), row("softCFM", SFFloat, "0.001", "s/kg", "(0, inf)",
                       "Softness of the contact: penetration allowed per force.")),
    until(R(2021, 'b'),
          row("bumpSound", SFString, "\"sounds/bump.wav\"", "", "", "Sound of an impact.")),
    since(R(2022, 'a'),
          row("bumpSound", SFString, "\"webots://projects/default/worlds/sounds/bump.wav\"", "", "",
              "Sound of an impact.")),
    until(R(2021, 'b'),
          row("rollSound", SFString, "\"sounds/roll.wav\"", "", "", "Sound of rolling.")),
    since(R(2022, 'a'),
          row("rollSound", SFString, "\"webots://projects/default/worlds/sounds/roll.wav\"", "", "",
              "Sound of rolling.")),
    until(R(2021, 'b'),
          row("slideSound", SFString, "\"sounds/slide.wav\"", "", "", "Sound of sliding.")),
    since(R(2022, 'a'),
          row("slideSound", SFString, "\"webots://projects/default/worlds/sounds/slide.wav\"", "",
              "", "Sound of sliding.")),
    since(R(2023, 'b'), row("maxContactJoints", SFInt32, "10", "-", "(0, inf)",
                            "Most contact points of one pair that are used, the deepest first.")),
    between(V(7, 2), V(7, 2, 1),
            row("softErp", SFFloat, "0.2", "-", "[0, 1]", "Earlier name of softERP.")),
    between(V(7, 2), V(7, 2, 1),
            row("softCfm", SFFloat, "0.001", "s/kg", "(0, inf)", "Earlier name of softCFM.")),
};

constexpr FieldType kDamping[] = {
    row("linear", SFFloat, "0.2", "1/s", "[0, 1]",
        "Share of its linear speed a body loses in a second."),
    row("angular", SFFloat, "0.2", "1/s", "[0, 1]",
        "Share of its angular speed a body loses in a second."),
};

constexpr FieldType kViewpoint[] = {
    on_edit(None,
            row("fieldOfView", SFFloat, "0.785398", "rad", "[0, pi]", "Angle the view spans.")),
    until(R(2021, 'b'), on_edit(None, row("orientation", SFRotation, "0 1 0 0", "rad", "",
                                          "Where the view looks."))),
    since(R(2022, 'a'), on_edit(None, row("orientation", SFRotation, "0 0 1 0", "rad", "",
                                          "Where the view looks."))),
    until(R(2019, 'b'),
          on_edit(None, row("position", SFVec3f, "0 0 0", "m", "", "Where the view is."))),
    between(R(2020, 'a'), R(2021, 'b'),
            on_edit(None, row("position", SFVec3f, "0 0 10", "m", "", "Where the view is."))),
    since(R(2022, 'a'),
          on_edit(None, row("position", SFVec3f, "-10 0 0", "m", "", "Where the view is."))),
    on_edit(None, row("description", SFString, "\"\"", "", "", "Name of the view.")),
    on_edit(None, row("near", SFFloat, "0.05", "m", "[0, far]", "Nothing nearer is drawn.")),
    on_edit(None, row("far", SFFloat, "0.0", "m", "[near, inf)",
                      "Nothing farther is drawn; 0 for no limit.")),
    row("exposure", SFFloat, "1.0", "-", "[0, inf)", "Brightness of the picture."),
    on_edit(None, row("follow", SFString, "\"\"", "", "", "Name of the solid the view follows.")),
    on_edit(None, row("followType", SFString, "\"Tracking Shot\"", "",
                      "\"None\" | \"Tracking Shot\" | \"Mounted Shot\" | \"Pan and Tilt Shot\"",
                      "How the view follows.")),
    on_edit(None,
            row("followSmoothness", SFFloat, "0.5", "-", "[0, 1]", "How lazily the view follows.")),
    on_edit(None, row("lensFlare", SFNode, "NULL", "", "", "A LensFlare effect.")),
    on_edit(None, row("ambientOcclusionRadius", SFFloat, "2", "m", "[0, inf)",
                      "Reach of the shadow in corners; 0 for none.")),
    on_edit(None, row("bloomThreshold", SFFloat, "21", "-", "-1 or [0, inf)",
                      "Brightness from which light glows; -1 for none.")),
    on_edit(None, row("followOrientation", SFBool, "FALSE", "", "",
                      "Whether the view turns with what it follows; followType took its place.")),
};

constexpr FieldType kBackground[] = {
    row("skyColor", MFColor, "[ 0 0 0 ]", "-", "", "Colour of the sky."),
    row("backUrl", MFString, "[]", "", "", "Picture of the back of the sky."),
    row("bottomUrl", MFString, "[]", "", "", "Picture of the bottom of the sky."),
    row("frontUrl", MFString, "[]", "", "", "Picture of the front of the sky."),
    row("leftUrl", MFString, "[]", "", "", "Picture of the left of the sky."),
    row("rightUrl", MFString, "[]", "", "", "Picture of the right of the sky."),
    row("topUrl", MFString, "[]", "", "", "Picture of the top of the sky."),
    row("backIrradianceUrl", MFString, "[]", "", "", "Picture of the light from the back."),
    row("bottomIrradianceUrl", MFString, "[]", "", "", "Picture of the light from below."),
    row("frontIrradianceUrl", MFString, "[]", "", "", "Picture of the light from the front."),
    row("leftIrradianceUrl", MFString, "[]", "", "", "Picture of the light from the left."),
    row("rightIrradianceUrl", MFString, "[]", "", "", "Picture of the light from the right."),
    row("topIrradianceUrl", MFString, "[]", "", "", "Picture of the light from above."),
    row("luminosity", SFFloat, "1", "-", "[0, inf)", "Strength of the light from the sky."),
    between(R(2018, 'b'), R(2019, 'a'),
            row("cubemap", SFNode, "NULL", "", "", "The pictures of the sky as one Cubemap.")),
};

constexpr FieldType kCubemap[] = {
    row("textureBaseName", SFString, "\"\"", "", "",
        "Common start of the names of the six pictures."),
    row("directory", SFString, "\"textures/cubic\"", "", "", "Folder of the six pictures."),
};

constexpr FieldType kFog[] = {
    row("color", SFColor, "1 1 1", "-", "", "Colour of the fog."),
    row("fogType", SFString, "\"LINEAR\"", "", "\"LINEAR\" | \"EXPONENTIAL\" | \"EXPONENTIAL2\"",
        "How the fog thickens with distance."),
    row("visibilityRange", SFFloat, "0", "m", "[0, inf)",
        "Distance at which nothing is seen any more; 0 for no fog."),
};

constexpr FieldType kLight[] = {
    row("ambientIntensity", SFFloat, "0", "-", "[0, 1]",
        "Share of the light that comes from everywhere."),
    row("color", SFColor, "1 1 1", "-", "[0, 1]", "Colour of the light."),
    row("intensity", SFFloat, "1", "-", "[0, 1]", "Brightness of the light."),
    row("on", SFBool, "TRUE", "", "", "Whether the light shines."),
    on_edit(Reflection, row("castShadows", SFBool, "FALSE", "", "", "Whether it throws shadows.")),
};

constexpr FieldType kDirectionalLight[] = {
    row("direction", SFVec3f, "0 0 -1", "-", "", "Direction in which the light shines."),
    row("castLensFlares", SFBool, "FALSE", "", "", "Whether the light makes lens flares."),
};

constexpr FieldType kPointLight[] = {
    row("attenuation", SFVec3f, "1 0 0", "-, 1/m, 1/m²", "[0, inf)",
        "How the light fades: constant, linear and quadratic part."),
    row("location", SFVec3f, "0 0 0", "m", "", "Where the light is."),
    row("radius", SFFloat, "100", "m", "[0, inf)", "Reach of the light."),
};

constexpr FieldType kSpotLight[] = {
    row("attenuation", SFVec3f, "1 0 0", "-, 1/m, 1/m²", "[0, inf)",
        "How the light fades: constant, linear and quadratic part."),
    row("beamWidth", SFFloat, "1.570796", "rad", "[0, pi/2)",
        "Angle up to which the light is full."),
    row("cutOffAngle", SFFloat, "0.785398", "rad", "[0, pi/2)",
        "Angle beyond which there is no light."),
    row("direction", SFVec3f, "0 0 -1", "-", "", "Direction in which the light shines."),
    until(R(2019, 'a'), row("location", SFVec3f, "0 0 10", "m", "", "Where the light is.")),
    since(R(2019, 'b'), row("location", SFVec3f, "0 0 0", "m", "", "Where the light is.")),
    row("radius", SFFloat, "100", "m", "[0, inf)", "Reach of the light."),
};

constexpr FieldType kLensFlare[] = {
    until(V(8, 6),
          row("transparency", SFFloat, "0.5", "-", "[0, 1]", "Transparency of the flare.")),
    since(R(2018, 'a'),
          row("transparency", SFFloat, "0.4", "-", "[0, 1]", "Transparency of the flare.")),
    row("scale", SFFloat, "1.5", "-", "", "Size of the flare."),
    row("bias", SFFloat, "-0.9", "-", "", "Brightness that is taken off before the flare is made."),
    row("dispersal", SFFloat, "0.6", "-", "", "Distance between the ghosts of the flare."),
    row("samples", SFInt32, "4", "-", "[0, inf)", "Number of ghosts."),
    row("haloWidth", SFFloat, "0.4", "-", "[0, inf)", "Size of the halo."),
    row("chromaDistortion", SFFloat, "2.0", "-", "", "Shift between the colours."),
    row("blurIterations", SFInt32, "2", "-", "[0, inf)", "How often the flare is blurred."),
    between(V(8, 5), V(8, 6),
            row("occlusion", SFBool, "FALSE", "", "", "Whether objects hide the flare.")),
    between(V(8, 5), V(8, 6),
            row("haloSizesAndPositions", MFVec2f, "[ 0.17 0.5, 0.08 0.25, 0.33 0.12 ]", "-", "",
                "Sizes and places of the halos.")),
    between(V(8, 5), V(8, 6),
            row("burstSizesAndPositions", MFVec2f, "[ 0.33 0.5, 0.16 0.33, 0.5 0.1 ]", "-", "",
                "Sizes and places of the bursts.")),
};

constexpr NodeRows kWorldNodes[] = {
    {"WorldInfo", "", "", kAlways, NodeKind::Plain, kWorldInfo},
    {"ContactProperties", "", "", V(6, 4), NodeKind::Plain, kContactProperties},
    {"Damping", "", "", V(6, 4), NodeKind::Plain, kDamping},
    {"Viewpoint", "", "", kAlways, NodeKind::View, kViewpoint},
    {"Background", "", "", kAlways, NodeKind::View, kBackground},
    {"Cubemap", "", "", R(2018, 'b'), NodeKind::Plain, kCubemap, R(2019, 'a')},
    {"Fog", "", "", kAlways, NodeKind::View, kFog},
    {"Light", "", "", kAlways, NodeKind::Abstract, kLight},
    {"DirectionalLight", "Light", "Light", kAlways, NodeKind::Light, kDirectionalLight},
    {"PointLight", "Light", "Light", kAlways, NodeKind::Light, kPointLight},
    {"SpotLight", "Light", "Light", V(6, 2, 1), NodeKind::Light, kSpotLight},
    {"LensFlare", "", "", V(8, 6), NodeKind::Plain, kLensFlare},
};

}  // namespace

std::span<const NodeRows> world_nodes() { return kWorldNodes; }

}  // namespace servosim::wbt

// SPDX-License-Identifier: Apache-2.0
// The part of the field table for sensors, cameras and other devices of a robot.
#include "wbt/schema/node_table.h"

namespace servosim::wbt {
namespace {

using enum ValueType;
using enum EditEffect;

constexpr FieldType kAccelerometer[] = {
    since(V(6, 0), row("name", SFString, "\"accelerometer\"", "", "",
                       "Name, by which a controller finds it.")),
    row("lookupTable", MFVec3f, "[]", "m/s², -, -", "",
        "Pairs of physical value and reading, each with noise; empty for the physical value."),
    row("xAxis", SFBool, "TRUE", "", "", "Whether the x axis is measured."),
    row("yAxis", SFBool, "TRUE", "", "", "Whether the y axis is measured."),
    row("zAxis", SFBool, "TRUE", "", "", "Whether the z axis is measured."),
    row("resolution", SFFloat, "-1", "m/s²", "-1 or [0, inf)", "Step of the reading; -1 for none."),
};

constexpr FieldType kGyro[] = {
    since(V(6, 0),
          row("name", SFString, "\"gyro\"", "", "", "Name, by which a controller finds it.")),
    row("lookupTable", MFVec3f, "[]", "rad/s, -, -", "",
        "Pairs of physical value and reading, each with noise; empty for the physical value."),
    row("xAxis", SFBool, "TRUE", "", "", "Whether the x axis is measured."),
    row("yAxis", SFBool, "TRUE", "", "", "Whether the y axis is measured."),
    row("zAxis", SFBool, "TRUE", "", "", "Whether the z axis is measured."),
    row("resolution", SFFloat, "-1", "rad/s", "-1 or [0, inf)",
        "Step of the reading; -1 for none."),
};

constexpr FieldType kCompass[] = {
    since(V(6, 0),
          row("name", SFString, "\"compass\"", "", "", "Name, by which a controller finds it.")),
    row("lookupTable", MFVec3f, "[]", "-", "",
        "Pairs of physical value and reading, each with noise; empty for the physical value."),
    row("xAxis", SFBool, "TRUE", "", "", "Whether the x axis is measured."),
    row("yAxis", SFBool, "TRUE", "", "", "Whether the y axis is measured."),
    row("zAxis", SFBool, "TRUE", "", "", "Whether the z axis is measured."),
    row("resolution", SFFloat, "-1", "-", "-1 or [0, inf)", "Step of the reading; -1 for none."),
};

constexpr FieldType kInertialUnit[] = {
    since(V(6, 0), row("name", SFString, "\"inertial unit\"", "", "",
                       "Name, by which a controller finds it.")),
    row("noise", SFFloat, "0", "rad", "[0, inf)", "Standard deviation of the reading."),
    row("xAxis", SFBool, "TRUE", "", "", "Whether the x axis is measured."),
    row("yAxis", SFBool, "TRUE", "", "", "Whether the y axis is measured."),
    row("zAxis", SFBool, "TRUE", "", "", "Whether the z axis is measured."),
    row("resolution", SFFloat, "-1", "rad", "-1 or [0, inf)", "Step of the reading; -1 for none."),
    row("lookupTable", MFVec3f, "[]", "rad, -, -", "", "Earlier way to state noise."),
};

constexpr FieldType kGPS[] = {
    since(V(6, 0),
          row("name", SFString, "\"gps\"", "", "", "Name, by which a controller finds it.")),
    row("type", SFString, "\"satellite\"", "", "\"satellite\" | \"laser\"", "Kind of GPS."),
    row("accuracy", SFFloat, "0", "m", "[0, inf)", "Standard deviation of the position."),
    row("noiseCorrelation", SFFloat, "0", "-", "[0, 1]",
        "How alike the noise of two readings is, for 1 s between them."),
    row("resolution", SFFloat, "-1", "m", "-1 or [0, inf)",
        "Step of the position; -1 for none. Before V7.4 it meant accuracy."),
    row("speedNoise", SFFloat, "0", "m/s", "[0, inf)", "Standard deviation of the speed."),
    until(V(8, 6), row("speedResolution", SFFloat, "1", "m/s", "-1 or [0, inf)",
                       "Step of the speed; -1 for none.")),
    since(R(2018, 'a'), row("speedResolution", SFFloat, "-1", "m/s", "-1 or [0, inf)",
                            "Step of the speed; -1 for none.")),
};

constexpr FieldType kAltimeter[] = {
    since(V(6, 0),
          row("name", SFString, "\"altimeter\"", "", "", "Name, by which a controller finds it.")),
    row("accuracy", SFFloat, "0", "m", "[0, inf)", "Standard deviation of the reading."),
    row("resolution", SFFloat, "-1", "m", "-1 or [0, inf)", "Step of the reading; -1 for none."),
};

constexpr FieldType kDistanceSensor[] = {
    since(V(6, 0), row("name", SFString, "\"distance sensor\"", "", "",
                       "Name, by which a controller finds it.")),
    row("lookupTable", MFVec3f, "[ 0 0 0, 0.1 1000 0 ]", "m, -, -", "",
        "Pairs of physical value and reading, each with noise; empty for the physical value."),
    until(V(7, 1), row("type", SFString, "\"infra-red\"", "",
                       "\"generic\" | \"infra-red\" | \"sonar\" | \"laser\"", "Kind of sensor.")),
    since(V(7, 1, 1),
          row("type", SFString, "\"generic\"", "",
              "\"generic\" | \"infra-red\" | \"sonar\" | \"laser\"", "Kind of sensor.")),
    row("numberOfRays", SFInt32, "1", "-", "[1, inf)", "Rays that are cast."),
    until(V(7, 0),
          row("aperture", SFFloat, "0", "rad", "[0, 2*pi]", "Angle the rays spread over.")),
    since(V(7, 0, 1),
          row("aperture", SFFloat, "1.5708", "rad", "[0, 2*pi]", "Angle the rays spread over.")),
    row("gaussianWidth", SFFloat, "1", "-", "[0, inf)",
        "How the weight of the rays falls off to the sides."),
    row("resolution", SFFloat, "-1", "-", "-1 or [0, inf)", "Step of the reading; -1 for none."),
    since(R(2021, 'b'), row("redColorSensitivity", SFFloat, "1", "-", "[0, inf)",
                            "How much red surfaces change the reading of an infra-red sensor.")),
};

constexpr FieldType kLightSensor[] = {
    since(V(6, 0), row("name", SFString, "\"light sensor\"", "", "",
                       "Name, by which a controller finds it.")),
    row("lookupTable", MFVec3f, "[ 0 0 0, 1 1000 0 ]", "W/m², -, -", "",
        "Pairs of physical value and reading, each with noise; empty for the physical value."),
    row("colorFilter", SFColor, "1 1 1", "-", "", "Colours it sees."),
    row("occlusion", SFBool, "FALSE", "", "", "Whether objects shade it."),
    row("resolution", SFFloat, "-1", "-", "-1 or [0, inf)", "Step of the reading; -1 for none."),
};

constexpr FieldType kTouchSensor[] = {
    since(V(6, 0), row("name", SFString, "\"touch sensor\"", "", "",
                       "Name, by which a controller finds it.")),
    row("type", SFString, "\"bumper\"", "", "\"bumper\" | \"force\" | \"force-3d\"",
        "bumper says whether it touches, force measures along its main axis, force-3d in all "
        "directions."),
    row("lookupTable", MFVec3f, "[ 0 0 0, 5000 50000 0 ]", "N, -, -", "",
        "Pairs of force and reading, each with noise; for type force."),
    row("resolution", SFFloat, "-1", "-", "-1 or [0, inf)", "Step of the reading; -1 for none."),
};

constexpr FieldType kLED[] = {
    since(V(6, 0),
          row("name", SFString, "\"led\"", "", "", "Name, by which a controller finds it.")),
    row("color", MFColor, "[ 1 0 0 ]", "-", "", "Colours it can shine in."),
    row("gradual", SFBool, "FALSE", "", "", "Whether its brightness or colour varies freely."),
};

constexpr FieldType kPen[] = {
    since(V(6, 0),
          row("name", SFString, "\"pen\"", "", "", "Name, by which a controller finds it.")),
    row("inkColor", SFColor, "0 0 0", "-", "", "Colour of the ink."),
    row("inkDensity", SFFloat, "0.5", "-", "[0, 1]", "Density of the ink."),
    row("leadSize", SFFloat, "0.002", "m", "[0, inf)", "Width of the line."),
    row("maxDistance", SFFloat, "0.0", "m", "[0, inf)",
        "Farthest surface it writes on; 0 for any."),
    row("write", SFBool, "TRUE", "", "", "Whether it writes."),
};

constexpr FieldType kEmitter[] = {
    since(V(6, 0),
          row("name", SFString, "\"emitter\"", "", "", "Name, by which a controller finds it.")),
    row("type", SFString, "\"radio\"", "", "\"infra-red\" | \"radio\" | \"serial\"",
        "Medium; emitters and receivers of one type hear each other."),
    on_edit(Setting,
            row("range", SFFloat, "-1", "m", "-1 or [0, inf)", "Reach; -1 for unlimited.")),
    row("maxRange", SFFloat, "-1", "m", "-1 or [0, inf)",
        "Largest range a controller may set; -1 for unlimited."),
    row("aperture", SFFloat, "-1", "rad", "-1 or [0, 2*pi]",
        "Angle of the cone it sends into; -1 for all around."),
    on_edit(Setting,
            row("channel", SFInt32, "0", "-", "[-1, inf)", "Channel it sends on; -1 for all.")),
    row("baudRate", SFInt32, "-1", "bit/s", "-1 or [0, inf)", "Bits per second; -1 for no delay."),
    row("byteSize", SFInt32, "8", "bit", "[8, inf)", "Bits needed to send a byte."),
    row("bufferSize", SFInt32, "-1", "byte", "-1 or [0, inf)",
        "Room for packets; -1 for unlimited."),
    since(R(2021, 'b'), row("allowedChannels", MFInt32, "[]", "-", "",
                            "Channels a controller may choose; empty for all.")),
};

constexpr FieldType kReceiver[] = {
    since(V(6, 0),
          row("name", SFString, "\"receiver\"", "", "", "Name, by which a controller finds it.")),
    row("type", SFString, "\"radio\"", "", "\"infra-red\" | \"radio\" | \"serial\"",
        "Medium; emitters and receivers of one type hear each other."),
    row("aperture", SFFloat, "-1", "rad", "-1 or [0, 2*pi]",
        "Angle of the cone it hears; -1 for all around."),
    on_edit(Setting,
            row("channel", SFInt32, "0", "-", "[-1, inf)", "Channel it hears; -1 for all.")),
    row("baudRate", SFInt32, "-1", "bit/s", "-1 or [0, inf)", "Bits per second; -1 for no delay."),
    row("byteSize", SFInt32, "8", "bit", "[8, inf)", "Bits needed to send a byte."),
    row("bufferSize", SFInt32, "-1", "byte", "-1 or [0, inf)",
        "Room for packets; -1 for unlimited."),
    row("signalStrengthNoise", SFFloat, "0", "-", "[0, inf)",
        "Standard deviation of the signal strength, relative."),
    row("directionNoise", SFFloat, "0", "rad", "[0, inf)", "Standard deviation of the direction."),
    since(R(2021, 'b'), row("allowedChannels", MFInt32, "[]", "-", "",
                            "Channels a controller may choose; empty for all.")),
};

constexpr FieldType kRadio[] = {
    since(V(6, 0),
          row("name", SFString, "\"radio\"", "", "", "Name, by which a controller finds it.")),
    row("protocol", SFString, "\"802.11b\"", "", "", "Protocol of the radio."),
    row("txPowerMin", SFFloat, "-10", "dBm", "", "Smallest power it sends with."),
    row("txPowerMax", SFFloat, "10", "dBm", "", "Largest power it sends with."),
    row("address", SFString, "\"\"", "", "", "Its address."),
    row("rxSensitivity", SFFloat, "-100", "dBm", "", "Weakest signal it hears."),
    row("txPower", SFFloat, "5", "dBm", "", "Power it sends with."),
    row("frequency", SFFloat, "2400000000", "Hz", "", "Frequency it sends at."),
    on_edit(Setting, row("channel", SFInt32, "0", "-", "", "Its channel.")),
    row("bitrate", SFInt32, "1000000", "bit/s", "", "Bits per second."),
};

constexpr FieldType kMicrophone[] = {
    since(V(6, 0),
          row("name", SFString, "\"microphone\"", "", "", "Name, by which a controller finds it.")),
    row("aperture", SFFloat, "-1", "rad", "", "Angle it hears in; -1 for all around."),
    row("sensitivity", SFFloat, "-50", "dB", "", "Sensitivity."),
};

constexpr FieldType kSpeaker[] = {
    since(V(6, 0),
          row("name", SFString, "\"speaker\"", "", "", "Name, by which a controller finds it.")),
};

constexpr FieldType kConnector[] = {
    since(V(6, 0),
          row("name", SFString, "\"connector\"", "", "", "Name, by which a controller finds it.")),
    row("type", SFString, "\"symmetric\"", "", "\"symmetric\" | \"active\" | \"passive\"",
        "Active connectors lock on others; passive ones are locked on; symmetric do both."),
    on_edit(Setting, row("isLocked", SFBool, "FALSE", "", "", "Whether it is locked.")),
    row("autoLock", SFBool, "FALSE", "", "", "Whether it locks by itself as soon as it may."),
    row("unilateralLock", SFBool, "TRUE", "", "", "Whether locking one side locks both."),
    row("unilateralUnlock", SFBool, "TRUE", "", "", "Whether unlocking one side unlocks both."),
    row("distanceTolerance", SFFloat, "0.01", "m", "[0, inf)",
        "Largest distance at which it locks."),
    row("axisTolerance", SFFloat, "0.2", "rad", "[0, pi]",
        "Largest angle between the main axes at which it locks."),
    row("rotationTolerance", SFFloat, "0.2", "rad", "[0, pi]",
        "Largest turn about the main axis at which it locks."),
    row("numberOfRotations", SFInt32, "4", "-", "[0, inf)",
        "Turns about the main axis at which it fits; 0 for any."),
    row("snap", SFBool, "TRUE", "", "", "Whether locking aligns both sides."),
    row("tensileStrength", SFFloat, "-1", "N", "-1 or [0, inf)",
        "Pull at which it breaks loose; -1 for never."),
    row("shearStrength", SFFloat, "-1", "N", "-1 or [0, inf)",
        "Shear at which it breaks loose; -1 for never."),
};

constexpr FieldType kVacuumGripper[] = {
    since(V(6, 0), row("name", SFString, "\"vacuum gripper\"", "", "",
                       "Name, by which a controller finds it.")),
    on_edit(Setting, row("isOn", SFBool, "FALSE", "", "", "Whether it holds what it touches.")),
    row("tensileStrength", SFFloat, "-1", "N", "-1 or [0, inf)",
        "Pull at which it breaks loose; -1 for never."),
    row("shearStrength", SFFloat, "-1", "N", "-1 or [0, inf)",
        "Shear at which it breaks loose; -1 for never."),
    row("contactPoints", SFInt32, "3", "-", "[1, inf)", "Contacts needed to take hold."),
};

constexpr FieldType kCamera[] = {
    since(V(6, 0),
          row("name", SFString, "\"camera\"", "", "", "Name, by which a controller finds it.")),
    on_edit(Setting,
            row("fieldOfView", SFFloat, "0.785398", "rad", "(0, pi)", "Angle the view spans.")),
    row("width", SFInt32, "64", "px", "[0, inf)", "Pixels in width."),
    row("height", SFInt32, "64", "px", "[0, inf)", "Pixels in height."),
    since(R(2023, 'a'), row("projection", SFString, "\"planar\"", "",
                            "\"planar\" | \"cylindrical\" | \"spherical\"",
                            "How the view is spread on the picture.")),
    row("near", SFFloat, "0.01", "m", "[0, inf)", "Nothing nearer is seen."),
    row("far", SFFloat, "0.0", "m", "[0, inf)", "Nothing farther is seen; 0 for no limit."),
    on_edit(Setting,
            row("exposure", SFFloat, "1.0", "-", "[0, inf)", "Brightness of the picture.")),
    row("antiAliasing", SFBool, "FALSE", "", "", "Whether edges are smoothed."),
    row("ambientOcclusionRadius", SFFloat, "0", "m", "[0, inf)",
        "Reach of the shadow in corners; 0 for none."),
    row("bloomThreshold", SFFloat, "-1.0", "-", "-1 or [0, inf)",
        "Brightness from which light glows; -1 for none."),
    row("motionBlur", SFFloat, "0.0", "ms", "[0, inf)", "Time over which the picture is smeared."),
    row("noise", SFFloat, "0.0", "-", "[0, inf)", "Standard deviation of the reading."),
    row("noiseMaskUrl", SFString, "\"\"", "", "", "File with a picture of noise."),
    row("lens", SFNode, "NULL", "", "", "Distortion of the picture."),
    row("focus", SFNode, "NULL", "", "", "Depth of sharpness."),
    row("zoom", SFNode, "NULL", "", "", "Range of fieldOfView a controller may set."),
    row("recognition", SFNode, "NULL", "", "", "Recognition of objects."),
    row("lensFlare", SFNode, "NULL", "", "", "A LensFlare effect."),
    row("spherical", SFBool, "FALSE", "", "",
        "Whether the projection is spherical; projection took its place."),
    until(R(2022, 'b'),
          row("type", SFString, "\"color\"", "", "\"color\" | \"range-finder\" | \"both\"",
              "Kind of camera; RangeFinder took the place of two of them.")),
    until(V(6, 1), row("display", SFBool, "TRUE", "", "", "Whether the picture is shown.")),
    between(V(5, 7), V(6, 4),
            row("gaussianNoise", SFFloat, "0", "-", "[0, inf)", "Noise of the picture.")),
    between(V(6, 4, 1), R(2022, 'b'),
            row("colorNoise", SFFloat, "0", "-", "[0, inf)", "Noise of the picture.")),
    between(V(6, 4, 1), V(8, 3),
            row("rangeNoise", SFFloat, "0", "-", "[0, inf)", "Noise of the distances.")),
    between(V(7, 4), V(8, 3),
            row("rangeResolution", SFFloat, "-1", "m", "-1 or [0, inf)", "Step of the distances.")),
    between(V(6, 2), V(8, 3), row("maxRange", SFFloat, "1", "m", "[0, inf)", "Largest distance.")),
    between(V(8, 3), V(8, 3),
            row("lensDistortion", SFNode, "NULL", "", "", "Earlier name of lens.")),
    until(R(2022, 'b'),
          row("windowPosition", SFVec2f, "0 0", "-", "", "Where the picture is shown.")),
    until(R(2022, 'b'), row("pixelSize", SFFloat, "1", "-", "", "Size of the shown pixels.")),
    between(V(8, 3), R(2018, 'a'),
            row("compositor", MFString, "[]", "", "", "Effects on the picture.")),
};

constexpr FieldType kFocus[] = {
    row("focalDistance", SFFloat, "0", "m", "[0, inf)", "Distance that is sharp."),
    row("focalLength", SFFloat, "0", "m", "[0, inf)", "Distance of lens and picture."),
    row("maxFocalDistance", SFFloat, "0", "m", "[0, inf)",
        "Largest focalDistance a controller may set."),
    row("minFocalDistance", SFFloat, "0", "m", "[0, inf)",
        "Smallest focalDistance a controller may set."),
};

constexpr FieldType kZoom[] = {
    row("maxFieldOfView", SFFloat, "1.5", "rad", "[minFieldOfView, 2*pi]",
        "Largest fieldOfView a controller may set."),
    row("minFieldOfView", SFFloat, "0.5", "rad", "[0, maxFieldOfView]",
        "Smallest fieldOfView a controller may set."),
};

constexpr FieldType kLens[] = {
    row("center", SFVec2f, "0.5 0.5", "-", "[0, 1]", "Centre of the distortion."),
    row("radialCoefficients", SFVec2f, "0 0", "-", "", "Radial distortion."),
    row("tangentialCoefficients", SFVec2f, "0 0", "-", "", "Tangential distortion."),
};

constexpr FieldType kRecognition[] = {
    row("maxRange", SFFloat, "100", "m", "[0, inf)", "Largest distance of a recognised object."),
    row("maxObjects", SFInt32, "-1", "-", "-1 or [0, inf)",
        "Most objects recognised at once; -1 for no limit."),
    until(R(2023, 'a'), row("occlusion", SFBool, "TRUE", "", "[0, 2]",
                            "Whether, and how exactly, hidden objects are left out.")),
    since(R(2023, 'b'), row("occlusion", SFInt32, "1", "-", "[0, 2]",
                            "Whether, and how exactly, hidden objects are left out.")),
    row("frameColor", SFColor, "1 0 0", "-", "", "Colour of the frames in the picture."),
    row("frameThickness", SFInt32, "1", "-", "[0, inf)", "Thickness of the frames in the picture."),
    row("segmentation", SFBool, "FALSE", "", "", "Whether a segmented picture is made."),
};

constexpr FieldType kRangeFinder[] = {
    since(V(6, 0), row("name", SFString, "\"range-finder\"", "", "",
                       "Name, by which a controller finds it.")),
    row("fieldOfView", SFFloat, "0.785398", "rad", "(0, 2*pi]", "Angle the view spans."),
    row("width", SFInt32, "64", "px", "[0, inf)", "Pixels in width."),
    row("height", SFInt32, "64", "px", "[0, inf)", "Pixels in height."),
    since(R(2023, 'a'), row("projection", SFString, "\"planar\"", "",
                            "\"planar\" | \"cylindrical\" | \"spherical\"",
                            "How the view is spread on the picture.")),
    row("near", SFFloat, "0.01", "m", "[0, inf)", "Nothing nearer is seen."),
    row("minRange", SFFloat, "0.01", "m", "[near, maxRange]", "Smallest distance."),
    row("maxRange", SFFloat, "1.0", "m", "[minRange, inf)", "Largest distance."),
    row("motionBlur", SFFloat, "0.0", "ms", "[0, inf)", "Time over which the picture is smeared."),
    row("noise", SFFloat, "0.0", "m", "[0, inf)", "Standard deviation of the distances."),
    row("resolution", SFFloat, "-1.0", "m", "-1 or [0, inf)",
        "Step of the distances; -1 for none."),
    row("lens", SFNode, "NULL", "", "", "Distortion of the picture."),
    row("spherical", SFBool, "FALSE", "", "",
        "Whether the projection is spherical; projection took its place."),
    between(V(8, 4), R(2018, 'a'),
            row("compositor", MFString, "[]", "", "", "Effects on the picture.")),
};

constexpr FieldType kLidar[] = {
    since(V(6, 0),
          row("name", SFString, "\"lidar\"", "", "", "Name, by which a controller finds it.")),
    row("tiltAngle", SFFloat, "0.0", "rad", "[-pi/2, pi/2]", "Tilt of the first layer."),
    row("horizontalResolution", SFInt32, "512", "-", "[0, inf)", "Points per layer."),
    row("fieldOfView", SFFloat, "1.5708", "rad", "[0, 2*pi]", "Angle the view spans."),
    row("verticalFieldOfView", SFFloat, "0.2", "rad", "[0, pi]",
        "Angle between the first and the last layer."),
    row("numberOfLayers", SFInt32, "4", "-", "[0, inf)", "Layers."),
    row("near", SFFloat, "0.01", "m", "[0, inf)", "Nothing nearer is seen."),
    row("minRange", SFFloat, "0.01", "m", "[near, inf)", "Smallest distance."),
    row("maxRange", SFFloat, "1.0", "m", "[minRange, inf)", "Largest distance."),
    row("type", SFString, "\"fixed\"", "", "\"fixed\" | \"rotating\"", "Whether its head turns."),
    since(R(2023, 'a'),
          row("projection", SFString, "\"cylindrical\"", "", "\"planar\" | \"cylindrical\"",
              "How the view is spread on the picture.")),
    row("noise", SFFloat, "0.0", "m", "[0, inf)", "Standard deviation of the distances."),
    row("resolution", SFFloat, "-1.0", "m", "-1 or [0, inf)",
        "Step of the distances; -1 for none."),
    on_edit(Setting, row("defaultFrequency", SFFloat, "10", "Hz", "[minFrequency, maxFrequency]",
                         "Turns per second of the head.")),
    row("minFrequency", SFFloat, "1", "Hz", "[0, maxFrequency)",
        "Fewest turns per second a controller may set."),
    row("maxFrequency", SFFloat, "25", "Hz", "[minFrequency, inf)",
        "Most turns per second a controller may set."),
    row("rotatingHead", SFNode, "NULL", "", "", "Solid that turns."),
    row("spherical", SFBool, "TRUE", "", "",
        "Whether the projection is spherical; projection took its place."),
    between(V(8, 4), R(2018, 'a'),
            row("compositor", MFString, "[]", "", "", "Effects on the picture.")),
};

constexpr FieldType kRadar[] = {
    since(V(6, 0),
          row("name", SFString, "\"radar\"", "", "", "Name, by which a controller finds it.")),
    row("minRange", SFFloat, "1", "m", "", "Smallest distance."),
    row("maxRange", SFFloat, "50.0", "m", "", "Largest distance."),
    row("horizontalFieldOfView", SFFloat, "0.78", "rad", "", "Angle it spans in width."),
    row("verticalFieldOfView", SFFloat, "0.1", "rad", "", "Angle it spans in height."),
    row("minAbsoluteRadialSpeed", SFFloat, "0.0", "m/s", "", "Slowest target it sees."),
    row("minRadialSpeed", SFFloat, "0.0", "m/s", "", "Smallest radial speed it sees."),
    row("maxRadialSpeed", SFFloat, "0.0", "m/s", "",
        "Largest radial speed it sees; no limits when equal to minRadialSpeed."),
    row("cellDistance", SFFloat, "0.0", "m", "",
        "Targets nearer to each other than this become one."),
    row("cellSpeed", SFFloat, "0.0", "m/s", "", "Targets whose speeds differ less become one."),
    row("rangeNoise", SFFloat, "0.0", "m", "", "Standard deviation of distances."),
    row("speedNoise", SFFloat, "0.0", "m/s", "", "Standard deviation of speeds."),
    row("angularNoise", SFFloat, "0.0", "rad", "", "Standard deviation of angles."),
    row("antennaGain", SFFloat, "20.0", "dBi", "", "Gain of the antenna."),
    row("frequency", SFFloat, "24.0", "GHz", "", "Frequency it sends at."),
    row("transmittedPower", SFFloat, "20.0", "dBm", "", "Power it sends with."),
    row("minDetectableSignal", SFFloat, "-100", "dBm", "", "Weakest echo it receives."),
    row("occlusion", SFBool, "FALSE", "", "", "Whether objects hide each other."),
};

constexpr FieldType kDisplay[] = {
    since(V(6, 0),
          row("name", SFString, "\"display\"", "", "", "Name, by which a controller finds it.")),
    row("width", SFInt32, "64", "px", "[1, inf)", "Pixels in width."),
    row("height", SFInt32, "64", "px", "[1, inf)", "Pixels in height."),
    until(R(2023, 'b'),
          row("windowPosition", SFVec2f, "0 0", "-", "", "Where the picture is shown.")),
    until(R(2023, 'b'), row("pixelSize", SFFloat, "1", "-", "", "Size of the shown pixels.")),
};

constexpr NodeRows kDeviceNodes[] = {
    {"Accelerometer", "Solid", "Solid", V(5, 6), NodeKind::Device, kAccelerometer},
    {"Gyro", "Solid", "Solid", V(6, 0), NodeKind::Device, kGyro},
    {"Compass", "Solid", "Solid", V(6, 0), NodeKind::Device, kCompass},
    {"InertialUnit", "Solid", "Solid", V(7, 0, 2), NodeKind::Device, kInertialUnit},
    {"GPS", "Solid", "Solid", kAlways, NodeKind::Device, kGPS},
    {"Altimeter", "Solid", "Solid", R(2021, 'b'), NodeKind::Device, kAltimeter},
    {"DistanceSensor", "Solid", "Solid", kAlways, NodeKind::Device, kDistanceSensor},
    {"LightSensor", "Solid", "Solid", kAlways, NodeKind::Device, kLightSensor},
    {"TouchSensor", "Solid", "Solid", kAlways, NodeKind::Device, kTouchSensor},
    {"LED", "Solid", "Solid", kAlways, NodeKind::Device, kLED},
    {"Pen", "Solid", "Solid", kAlways, NodeKind::Device, kPen},
    {"Emitter", "Solid", "Solid", kAlways, NodeKind::Device, kEmitter},
    {"Receiver", "Solid", "Solid", kAlways, NodeKind::Device, kReceiver},
    {"Radio", "Solid", "Solid", kAlways, NodeKind::Device, kRadio},
    {"Microphone", "Solid", "Solid", kAlways, NodeKind::Device, kMicrophone},
    {"Speaker", "Solid", "Solid", V(8, 5), NodeKind::Device, kSpeaker},
    {"Connector", "Solid", "Solid", V(5, 1, 8), NodeKind::Device, kConnector},
    {"VacuumGripper", "Solid", "Solid", R(2023, 'b'), NodeKind::Device, kVacuumGripper},
    {"Camera", "Solid", "Solid", kAlways, NodeKind::Device, kCamera},
    {"Focus", "", "", V(8, 3), NodeKind::Plain, kFocus},
    {"Zoom", "", "", V(6, 2), NodeKind::Plain, kZoom},
    {"Lens", "", "", V(8, 3), NodeKind::Plain, kLens},
    {"Recognition", "", "", V(8, 6), NodeKind::Plain, kRecognition},
    {"RangeFinder", "Solid", "Solid", V(8, 4), NodeKind::Device, kRangeFinder},
    {"Lidar", "Solid", "Solid", V(8, 4), NodeKind::Device, kLidar},
    {"Radar", "Solid", "Solid", V(8, 5), NodeKind::Device, kRadar},
    {"Display", "Solid", "Solid", V(6, 1), NodeKind::Device, kDisplay},
};

}  // namespace

std::span<const NodeRows> device_nodes() { return kDeviceNodes; }

}  // namespace servosim::wbt

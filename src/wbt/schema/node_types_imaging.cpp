// SPDX-License-Identifier: Apache-2.0
// The field table, part: devices that take or show pictures.
#include "wbt/schema/node_table.h"

namespace servosim::wbt {
namespace {

using enum ValueType;

constexpr FieldType kCamera[] = {
    since(V(6, 0),
          row("name", SFString, "\"camera\"", "", "", "Name, by which a controller finds it.")),
    row("fieldOfView", SFFloat, "0.785398", "rad", "(0, pi)", "Angle the view spans."),
    row("width", SFInt32, "64", "px", "[0, inf)", "Pixels in width."),
    row("height", SFInt32, "64", "px", "[0, inf)", "Pixels in height."),
    since(R(2023, 'a'), row("projection", SFString, "\"planar\"", "",
                            "\"planar\" | \"cylindrical\" | \"spherical\"",
                            "How the view is spread on the picture.")),
    row("near", SFFloat, "0.01", "m", "[0, inf)", "Nothing nearer is seen."),
    row("far", SFFloat, "0.0", "m", "[0, inf)", "Nothing farther is seen; 0 for no limit."),
    row("exposure", SFFloat, "1.0", "-", "[0, inf)", "Brightness of the picture."),
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
    row("noise", SFFloat, "0.0", "-", "[0, inf)",
        "Standard deviation of the distances, per maxRange."),
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
    row("noise", SFFloat, "0.0", "-", "[0, inf)",
        "Standard deviation of the distances, per maxRange."),
    row("resolution", SFFloat, "-1.0", "m", "-1 or [0, inf)",
        "Step of the distances; -1 for none."),
    row("defaultFrequency", SFFloat, "10", "Hz", "[minFrequency, maxFrequency]",
        "Turns per second of the head."),
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

constexpr NodeRows kImagingNodes[] = {
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

std::span<const NodeRows> imaging_nodes() { return kImagingNodes; }

}  // namespace servosim::wbt

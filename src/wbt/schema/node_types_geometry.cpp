// SPDX-License-Identifier: Apache-2.0
// The part of the field table for shapes, geometries and appearances.
#include "wbt/schema/node_table.h"

namespace servosim::wbt {
namespace {

using enum ValueType;
using enum EditEffect;

constexpr FieldType kShape[] = {
    on_edit(Reflection, row("appearance", SFNode, "NULL", "", "", "How it looks.")),
    row("geometry", SFNode, "NULL", "", "", "What form it has."),
    since(V(8, 4), on_edit(Reflection, row("castShadows", SFBool, "TRUE", "", "",
                                           "Whether it throws shadows."))),
    since(V(8, 6),
          on_edit(None, row("isPickable", SFBool, "TRUE", "", "", "Whether a click selects it."))),
};

constexpr FieldType kBox[] = {
    row("size", SFVec3f, "2 2 2", "m", "all > 0", "Length of its edges."),
};

constexpr FieldType kSphere[] = {
    row("radius", SFFloat, "1", "m", "[0, inf)", "Radius of the sphere."),
    row("subdivision", SFInt32, "1", "-", "[1, 5]",
        "Fineness of the drawing; from 3 to 32 without `ico`."),
    since(R(2019, 'b'), row("ico", SFBool, "TRUE", "", "", "Whether it is drawn as an icosphere.")),
};

constexpr FieldType kCylinder[] = {
    row("bottom", SFBool, "TRUE", "", "", "Whether the bottom is there."),
    row("height", SFFloat, "2", "m", "[0, inf)", "Length along its axis."),
    row("radius", SFFloat, "1", "m", "[0, inf)", "Radius of the cylinder."),
    row("side", SFBool, "TRUE", "", "", "Whether the side is there."),
    row("top", SFBool, "TRUE", "", "", "Whether the top is there."),
    until(V(8, 6), row("subdivision", SFInt32, "12", "-", "[3, inf)", "Fineness of the drawing.")),
    since(R(2018, 'a'),
          row("subdivision", SFInt32, "36", "-", "[3, inf)", "Fineness of the drawing.")),
};

constexpr FieldType kCapsule[] = {
    row("bottom", SFBool, "TRUE", "", "", "Whether the bottom is there."),
    row("height", SFFloat, "2", "m", "[0, inf)", "Length along its axis without the caps."),
    row("radius", SFFloat, "1", "m", "[0, inf)", "Radius of the cylinder and of the caps."),
    row("side", SFBool, "TRUE", "", "", "Whether the side is there."),
    row("top", SFBool, "TRUE", "", "", "Whether the top is there."),
    row("subdivision", SFInt32, "12", "-", "[3, inf)", "Fineness of the drawing."),
};

constexpr FieldType kCone[] = {
    row("bottomRadius", SFFloat, "1", "m", "[0, inf)", "Radius of its bottom."),
    row("height", SFFloat, "2", "m", "[0, inf)", "Length along its axis."),
    row("side", SFBool, "TRUE", "", "", "Whether the side is there."),
    row("bottom", SFBool, "TRUE", "", "", "Whether the bottom is there."),
    row("subdivision", SFInt32, "12", "-", "[3, inf)", "Fineness of the drawing."),
};

constexpr FieldType kPlane[] = {
    row("size", SFVec2f, "1 1", "m", "all > 0",
        "What is drawn of the plane; for collisions it is endless."),
};

constexpr FieldType kElevationGrid[] = {
    row("height", MFFloat, "[]", "m", "", "Heights of the grid, row by row."),
    row("xDimension", SFInt32, "0", "-", "[0, inf)", "Points along x."),
    row("xSpacing", SFFloat, "1", "m", "(0, inf)", "Distance of the points along x."),
    row("yDimension", SFInt32, "0", "-", "[0, inf)", "Points along y."),
    row("ySpacing", SFFloat, "1", "m", "(0, inf)", "Distance of the points along y."),
    row("thickness", SFFloat, "1", "m", "[0, inf)", "Depth of the ground below the lowest point."),
    until(R(2021, 'b'),
          row("zDimension", SFInt32, "0", "-", "[0, inf)", "Points along z, before R2022a.")),
    until(R(2021, 'b'), row("zSpacing", SFFloat, "1", "m", "(0, inf)",
                            "Distance of the points along z, before R2022a.")),
    until(R(2019, 'a'), row("color", SFNode, "NULL", "", "", "Colours of the points.")),
    until(R(2019, 'a'),
          row("colorPerVertex", SFBool, "TRUE", "", "", "Whether points or squares have colours.")),
};

constexpr FieldType kIndexedFaceSet[] = {
    row("coord", SFNode, "NULL", "", "", "The points: a Coordinate."),
    since(R(2019, 'b'), row("normal", SFNode, "NULL", "", "", "The normals: a Normal.")),
    row("texCoord", SFNode, "NULL", "", "", "Points of the texture."),
    row("ccw", SFBool, "TRUE", "", "", "Whether faces are counter-clockwise seen from outside."),
    row("convex", SFBool, "TRUE", "", "", "Whether all faces are convex."),
    since(R(2019, 'b'),
          row("normalPerVertex", SFBool, "TRUE", "", "", "Whether points or faces have normals.")),
    row("coordIndex", MFInt32, "[]", "-", "[-1, inf)",
        "Which points form each face or line, ended by -1."),
    since(R(2019, 'b'), row("normalIndex", MFInt32, "[]", "-", "[-1, inf)",
                            "Which normals the points of each face have.")),
    row("texCoordIndex", MFInt32, "[]", "-", "[-1, inf)",
        "Which points of the texture the points of each face have."),
    row("creaseAngle", SFFloat, "0", "rad", "[0, inf)", "Edges flatter than this look smooth."),
    until(R(2019, 'a'), row("solid", SFBool, "TRUE", "", "", "Whether back faces are hidden.")),
};

constexpr FieldType kIndexedLineSet[] = {
    row("coord", SFNode, "NULL", "", "", "The points: a Coordinate."),
    row("coordIndex", MFInt32, "[]", "-", "[-1, inf)",
        "Which points form each face or line, ended by -1."),
};

constexpr FieldType kMesh[] = {
    row("url", MFString, "[]", "", "", "File with the mesh."),
    since(R(2022, 'b'), row("ccw", SFBool, "TRUE", "", "",
                            "Whether faces are counter-clockwise seen from outside.")),
    row("name", SFString, "\"\"", "", "", "Part of the file; empty for all."),
    row("materialIndex", SFInt32, "-1", "-", "",
        "Material of the file whose part is taken; -1 for all."),
    extension(row("scale", SFVec3f, "1 1 1", "-", "not 0",
                  "Factors of the coordinates in the file; negative to mirror it.")),
};

constexpr FieldType kPointSet[] = {
    row("color", SFNode, "NULL", "", "", "Colours of the points."),
    row("coord", SFNode, "NULL", "", "", "The points: a Coordinate."),
};

constexpr FieldType kCadShape[] = {
    row("url", MFString, "[]", "", "", "File with the model."),
    row("ccw", SFBool, "TRUE", "", "", "Whether faces are counter-clockwise seen from outside."),
    on_edit(Reflection, row("castShadows", SFBool, "TRUE", "", "", "Whether it throws shadows.")),
    on_edit(None, row("isPickable", SFBool, "TRUE", "", "", "Whether a click selects it.")),
};

constexpr FieldType kCoordinate[] = {
    row("point", MFVec3f, "[]", "m", "", "The points."),
};

constexpr FieldType kNormal[] = {
    row("vector", MFVec3f, "[]", "-", "", "The normals."),
};

constexpr FieldType kColor[] = {
    row("color", MFColor, "[]", "-", "", "The colours."),
};

constexpr FieldType kTextureCoordinate[] = {
    row("point", MFVec2f, "[]", "-", "", "The points."),
};

constexpr FieldType kAppearance[] = {
    on_edit(Reflection, row("material", SFNode, "NULL", "", "", "Colours.")),
    row("texture", SFNode, "NULL", "", "", "Picture on the surface."),
    row("textureTransform", SFNode, "NULL", "", "", "How the texture is placed."),
    row("name", SFString, "\"appearance\"", "", "", "Name of the appearance."),
    between(V(8, 5), R(2018, 'a'), row("shaders", MFNode, "[]", "", "", "Programs that draw it.")),
};

constexpr FieldType kMaterial[] = {
    row("ambientIntensity", SFFloat, "0.2", "-", "[0, 1]", "Share of ambient light it returns."),
    on_edit(Reflection,
            row("diffuseColor", SFColor, "0.8 0.8 0.8", "-", "", "Colour of the surface.")),
    row("emissiveColor", SFColor, "0 0 0", "-", "", "Colour it shines in."),
    row("shininess", SFFloat, "0.2", "-", "[0, 1]", "Sharpness of its highlights."),
    row("specularColor", SFColor, "0 0 0", "-", "", "Colour of its highlights."),
    on_edit(Reflection,
            row("transparency", SFFloat, "0", "-", "[0, 1]", "0 for opaque, 1 for invisible.")),
};

constexpr FieldType kPBRAppearance[] = {
    on_edit(Reflection, row("baseColor", SFColor, "1 1 1", "-", "", "Colour of the surface.")),
    row("baseColorMap", SFNode, "NULL", "", "", "Picture of the colour."),
    on_edit(Reflection,
            row("transparency", SFFloat, "0", "-", "[0, 1]", "0 for opaque, 1 for invisible.")),
    on_edit(Reflection, row("roughness", SFFloat, "0", "-", "[0, 1]", "How dull it is.")),
    row("roughnessMap", SFNode, "NULL", "", "", "Picture of the roughness."),
    row("metalness", SFFloat, "1", "-", "[0, 1]", "How metallic it is."),
    row("metalnessMap", SFNode, "NULL", "", "", "Picture of the metalness."),
    row("IBLStrength", SFFloat, "1", "-", "[0, inf)", "Strength of the light from the Background."),
    row("normalMap", SFNode, "NULL", "", "", "Picture of the normals."),
    row("normalMapFactor", SFFloat, "1", "-", "[0, inf)", "Strength of that picture."),
    row("occlusionMap", SFNode, "NULL", "", "", "Picture of the shadows."),
    row("occlusionMapStrength", SFFloat, "1", "-", "[0, inf)", "Strength of that picture."),
    row("emissiveColor", SFColor, "0 0 0", "-", "", "Colour it shines in."),
    row("emissiveColorMap", SFNode, "NULL", "", "", "Picture of the light it emits."),
    row("emissiveIntensity", SFFloat, "1", "-", "[0, inf)", "Strength of the light it emits."),
    row("textureTransform", SFNode, "NULL", "", "", "How the texture is placed."),
    row("name", SFString, "\"PBRAppearance\"", "", "", "Name of the appearance."),
    between(R(2018, 'b'), R(2019, 'a'),
            row("environmentMap", SFNode, "NULL", "", "", "Surroundings it mirrors.")),
};

constexpr FieldType kImageTexture[] = {
    row("url", MFString, "[]", "", "", "File with the picture."),
    row("repeatS", SFBool, "TRUE", "", "", "Whether it repeats in width."),
    row("repeatT", SFBool, "TRUE", "", "", "Whether it repeats in height."),
    row("filtering", SFInt32, "4", "-", "[0, 5]", "Quality of the drawing."),
};

constexpr FieldType kTextureTransform[] = {
    row("center", SFVec2f, "0 0", "-", "", "Point that rotation and scale leave where it is."),
    row("rotation", SFFloat, "0", "rad", "", "Turn of the texture."),
    row("scale", SFVec2f, "1 1", "-", "", "Scale of the texture."),
    row("translation", SFVec2f, "0 0", "-", "", "Shift of the texture."),
};

constexpr FieldType kSkin[] = {
    row("translation", SFVec3f, "0 0 0", "m", "", "Position in the frame of the parent."),
    until(R(2021, 'b'), row("rotation", SFRotation, "0 1 0 0", "rad", "",
                            "Orientation in the frame of the parent: axis and angle [rad].")),
    since(R(2022, 'a'), row("rotation", SFRotation, "0 0 1 0", "rad", "",
                            "Orientation in the frame of the parent: axis and angle [rad].")),
    row("scale", SFVec3f, "1 1 1", "-", "", "Scale of the skin."),
    since(V(6, 0),
          row("name", SFString, "\"skin\"", "", "", "Name, by which a controller finds it.")),
    row("modelUrl", SFString, "\"\"", "", "", "File with the model."),
    on_edit(Reflection, row("appearance", MFNode, "[]", "", "", "Appearances of its parts.")),
    row("bones", MFNode, "[]", "", "", "Solids that move its bones."),
    on_edit(None, row("castShadows", SFBool, "TRUE", "", "", "Whether it throws shadows.")),
    on_edit(None, row("translationStep", SFFloat, "0.01", "m", "[0, inf)",
                      "Step by which the user interface moves it.")),
    on_edit(None, row("rotationStep", SFFloat, "0.261799387", "rad", "[0, inf)",
                      "Step by which the user interface turns it.")),
};

constexpr NodeRows kGeometryNodes[] = {
    {"Shape", "", "", kAlways, NodeKind::Shape, kShape},
    {"Box", "Geometry", "", kAlways, NodeKind::Shape, kBox},
    {"Sphere", "Geometry", "", kAlways, NodeKind::Shape, kSphere},
    {"Cylinder", "Geometry", "", kAlways, NodeKind::Shape, kCylinder},
    {"Capsule", "Geometry", "", V(6, 3), NodeKind::Shape, kCapsule},
    {"Cone", "Geometry", "", kAlways, NodeKind::Shape, kCone},
    {"Plane", "Geometry", "", V(6, 3), NodeKind::Shape, kPlane},
    {"ElevationGrid", "Geometry", "", kAlways, NodeKind::Shape, kElevationGrid},
    {"IndexedFaceSet", "Geometry", "", kAlways, NodeKind::Shape, kIndexedFaceSet},
    {"IndexedLineSet", "Geometry", "", kAlways, NodeKind::Shape, kIndexedLineSet},
    {"Mesh", "Geometry", "", R(2020, 'b'), NodeKind::Shape, kMesh},
    {"PointSet", "Geometry", "", R(2018, 'b'), NodeKind::Shape, kPointSet},
    {"CadShape", "", "", R(2022, 'b'), NodeKind::Shape, kCadShape},
    {"Coordinate", "", "", kAlways, NodeKind::Shape, kCoordinate},
    {"Normal", "", "", R(2019, 'b'), NodeKind::Appearance, kNormal},
    {"Color", "", "", kAlways, NodeKind::Appearance, kColor},
    {"TextureCoordinate", "", "", kAlways, NodeKind::Appearance, kTextureCoordinate},
    {"Appearance", "", "", kAlways, NodeKind::Appearance, kAppearance},
    {"Material", "", "", kAlways, NodeKind::Appearance, kMaterial},
    {"PBRAppearance", "", "", R(2018, 'b'), NodeKind::Appearance, kPBRAppearance},
    {"ImageTexture", "", "", kAlways, NodeKind::Appearance, kImageTexture},
    {"TextureTransform", "", "", kAlways, NodeKind::Appearance, kTextureTransform},
    {"Skin", "Device", "", R(2022, 'a'), NodeKind::Device, kSkin},
};

}  // namespace

std::span<const NodeRows> geometry_nodes() { return kGeometryNodes; }

}  // namespace servosim::wbt

# SPDX-License-Identifier: Apache-2.0
"""Deliberate differences between stand-ins and the facts of facts.py.

EXCEPTIONS has the value of the stand-in, and the reason. An exception that nothing needs is a fault.
"""

ANY = object()  # whatever the stand-in has


def each(names, what, value, reason):
    return {(name, text): (value, reason) for name in names for text in what}


NOT_THERE = "not there"
LOOKS = "it is for looks only; a world may set it, which does nothing"
APPEARANCE = "an appearance of ours, since that PROTO of Webots is for looks only"
NO_TURN = "no turn either: the axis of an angle of 0"
ROAD = ["field lines", "field bottom", "field startLine", "field endLine", "field appearance",
        "field pavementAppearance", "field bottomTexture", "field castShadows"]

EXCEPTIONS = {
    # These concern looks.
    **each(["Rock10cm", "Rock17cm", "Rock", "WoodenChair"], ["field texture"], NOT_THERE, LOOKS),
    **each(["Can"], ["field textureUrl"], NOT_THERE, LOOKS),
    **each(["Door", "Window"], ["field castShadows"], NOT_THERE, LOOKS),
    **each(["StraightRoadSegment", "CurvedRoadSegment", "Road"], ROAD, NOT_THERE, LOOKS),
    **each(["RoadIntersection"], ["field startRoadsStartLine", "field startRoadsEndLine",
                                  "field startRoadsLine", "field castShadows", "field bottom",
                                  "field appearance"], NOT_THERE, LOOKS),
    **each(["Nao"], ["field cameraAntiAliasing", "field cameraAmbientOcclusionRadius",
                     "field cameraBloomThreshold", "field cameraFocus"], NOT_THERE,
           "it is for pictures only, which nothing draws"),
    **each(["Road"], ["field turnLanesForward", "field turnLanesBackward"], NOT_THERE,
           "arrows on the road"),
    **each(["Table"], ["default of trayAppearance", "default of legAppearance"], ANY, APPEARANCE),
    **each(["PipeSection", "Pit", "Can", "ConveyorBelt", "StraightStairsLanding"],
           ["default of appearance"], ANY, APPEARANCE),
    **each(["Door", "Window"], ["default of wallAppearance", "default of frameAppearance"], ANY, APPEARANCE),
    **each(["Door"], ["default of doorAppearance"], ANY, APPEARANCE),
    **each(["StraightStairs"], ["default of stepAppearance", "default of stringerAppearance"], ANY,
           APPEARANCE),
    **each(["StraightStairsLanding"], ["default of floorAppearance"], ANY, APPEARANCE),
    # The default of these fields was different in other releases.
    **each(["Thymio2", "Youbot"], ["default of controller"], '"<generic>"',
           "that of newer releases, which the facts name too"),
    **each(["Nao"], ["default of controller"], '"nao_demo"', "the first of those that the facts name"),
    **each(["CurvedRoadSegment"], ["default of subdivision"], "16", "that of newer releases"),
    **each(["Darwin-op", "DARwInOP"], ["type of controllerArgs"], "MFString",
           "that of R2020b; the one string of older worlds is split"),
    **each(["Darwin-op", "DARwInOP"], ["default of controllerArgs"], "[ ]", "no arguments either"),
    **each(["Darwin-op", "DARwInOP", "SoccerField"], ["default of rotation"], "0 0 1 0", NO_TURN),
    **each(["Darwin-op"], ["default of _description"], '""', "a text that only its file shows"),
    **each(["E-puckGroundSensors"], ["default of rotation"], "0 0 1 0",
           "before R2022a it undid a turn of the slot, which the stand-in's slot does not have"),
    **each(["Pioneer3DistanceSensor"], ["default of translation"], "0 0 0.137",
           "the facts have it in the axes before R2022a"),
    **each(["HingeJointWithBacklash"], ["default of startPoint"], "[ ]",
           "an empty list of nodes, which NULL is as well"),
    # The stand-in itself says that these are missing.
    **each(["Door"], ["field doorHandle"], NOT_THERE, "the handle, which nothing can grasp"),
    **each(["StraightStairs"], ["field leftRail", "field rightRail"], NOT_THERE, "the rails are left out"),
    **each(["StraightStairsLanding"], ["field rail"], NOT_THERE, "the rails are left out"),
    **each(["StraightRoadSegment"], ["field startingRoadTilt", "field endingRoadTilt"], NOT_THERE,
           "roads are flat"),
    **each(["CurvedRoadSegment"], ["field tilt"], NOT_THERE, "roads are flat"),
    **each(["Road"], ["field roadTilt", "field startingAngle", "field endingAngle"], NOT_THERE,
           "roads are flat and end at a right angle"),
    **each(["Youbot"], ["device camera"], NOT_THERE, "a camera that one copy of the PROTO had, not the other"),
    # Numbers that are not as in Webots.
    **each(["Nao"], ["inertia of link of RAnkleRoll"],
           [0.0002696, 0.0006439, 0.0005252, 5.877e-06, 0.0001392, -1.887e-05],
           "no body can have the last number of the facts; this is the left foot's, mirrored"),
    **each(["PandaHand"], ["axis of panda_leftfinger"], [0.5 ** 0.5, 0.5 ** 0.5, 0],
           "the facts have it in a frame that is turned by -45 degrees about z"),
    **each(["PandaHand"], ["axis of panda_rightfinger"], [-0.5 ** 0.5, -0.5 ** 0.5, 0],
           "the facts have it in a frame that is turned by -45 degrees about z"),
    # Parts that are missing or different.
    **each(["TurtleBot3Burger"], ["device LDS-01"], NOT_THERE,
           "the slot that has it is empty here, so that masses are those of the robot"),
    **each(["E-puck"], ["consumptionFactor of left wheel motor", "consumptionFactor of right wheel motor"], 0,
           "Webots' is -0.001: a motor that charges a battery; there is none by default"),
}

# Solids that have no name in Webots, or for which the facts have a description.
NAMES = {("Pioneer3dx", "link of joint1"): "caster rim",
         ("TurtleBot3Burger", "solid (caster ball)"): "solid"}

# Instances that are compared in addition to the default one: their fields, and which facts differ then.
VARIANTS = {
    "UR3e": [{"fields": "staticBase FALSE"}],
    "UR5e": [{"fields": "staticBase FALSE", "changes": {"root": {"mass": 4}}}],
    "UR10e": [{"fields": "staticBase FALSE"}],
    "Panda": [{"fields": "endEffectorSlot [ ]"}],
    "TurtleBot3Burger": [{"fields": "extensionSlot [ ]"}],
    "E-puck": [
        {},
        {"fields": 'version "2"', "version": "version 2",
         "changes": {"root": {"mass": 0.13}, "left wheel": {"vel": 7.536}, "right wheel": {"vel": 7.536}}},
    ],
    "Door": [
        {},
        {"fields": "jointAtLeft FALSE selfClosing TRUE position 0.4",
         "changes": {"leaf": {"minStop": -0.01, "maxStop": 1.57, "springConstant": 5, "position": 0.4}}},
    ],
}

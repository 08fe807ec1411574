# SPDX-License-Identifier: Apache-2.0
"""Nodes and fields of the world, as a Supervisor sees them."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

import itertools
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int
from typing import Any, List, Optional

from .wb import (HANDLE, OWN_HANDLE, Floats2, Floats3, Floats4, Floats6, Floats9, Handle, Numbers2,
                 Numbers3, Numbers4, Numbers6, Setting, Value, binds, call, declare, decoded,
                 handle, numbers, snake)


class ContactPoint(Structure):
    """A place where a Solid touches something: `point` in the world's axes [m], and `node_id`."""

    node_id: int
    _point: Any
    _fields_ = [('_point', c_double * 3), ('node_id', c_int), ('_padding', c_int)]

    def getPoint(self) -> Floats3:
        """x, y, z in the axes of the world [m]."""
        return list(self._point)

    def getNodeId(self) -> int:
        """The number of the Solid that touches, for getFromId()."""
        return self.node_id

    point = Value(getPoint)


declare('wb_supervisor_node_get_pose', POINTER(c_double), HANDLE, HANDLE)
declare('wb_supervisor_node_enable_pose_tracking', None, HANDLE, c_int, HANDLE)
declare('wb_supervisor_node_disable_pose_tracking', None, HANDLE, HANDLE)
declare('wb_supervisor_node_get_contact_points', POINTER(ContactPoint), HANDLE, c_bool,
        POINTER(c_int))


@binds('wb_supervisor_field_', own=OWN_HANDLE)
class Field(Handle):
    """A field of a node, to be read and changed; units are those of the field."""

    NO_FIELD = 0
    SF_BOOL = 1
    SF_INT32 = 2
    SF_FLOAT = 3
    SF_VEC2F = 4
    SF_VEC3F = 5
    SF_ROTATION = 6
    SF_COLOR = 7
    SF_STRING = 8
    SF_NODE = 9
    MF = 16
    MF_BOOL = MF + SF_BOOL
    MF_INT32 = MF + SF_INT32
    MF_FLOAT = MF + SF_FLOAT
    MF_VEC2F = MF + SF_VEC2F
    MF_VEC3F = MF + SF_VEC3F
    MF_ROTATION = MF + SF_ROTATION
    MF_COLOR = MF + SF_COLOR
    MF_STRING = MF + SF_STRING
    MF_NODE = MF + SF_NODE

    # The ends of the names of the C functions, by type.
    _KINDS = ('', 'Bool', 'Int32', 'Float', 'Vec2f', 'Vec3f', 'Rotation', 'Color', 'String',
              'Node')

    def __repr__(self) -> str:
        return f'<Field {self.getName()!r} of type {self.getTypeName()}>'

    def _kind(self) -> str:
        return self._KINDS[self.getType() % Field.MF]

    @property
    def value(self) -> Any:
        """The value of the field; for an MF field, a list."""
        if self.getType() < Field.MF:
            return getattr(self, 'getSF' + self._kind())()
        get = getattr(self, 'getMF' + self._kind())
        return [get(i) for i in range(self.getCount())]

    @value.setter
    def value(self, value: Any) -> None:
        if self.getType() < Field.MF:
            getattr(self, 'setSF' + self._kind())(value)
            return
        change = getattr(self, 'setMF' + self._kind())
        insert = getattr(self, 'insertMF' + self._kind())
        count = self.getCount()
        for i, item in enumerate(value):
            change(i, item) if i < count else insert(i, item)
        for i in range(count - 1, len(value) - 1, -1):
            self.removeMF(i)

    def getName(self) -> str:
        """The name of the field."""

    def getType(self) -> int:
        """The type of the field, a constant of Field such as Field.SF_VEC3F."""

    def getTypeName(self) -> str:
        """The name of the type, such as 'SFVec3f'."""

    def getCount(self) -> int:
        """The number of items of an MF field; -1, and a message, for an SF field."""

    def getActualField(self) -> Optional[Field]:
        """The field of the PROTO from which this field has its value; else the field itself."""

    def enableSFTracking(self, samplingPeriod: int) -> None:
        """Sends the value along with every step, each `samplingPeriod` ms, 1 or more."""

    def disableSFTracking(self) -> None:
        """Ends what enableSFTracking() began."""

    def getSFBool(self) -> bool:
        """The truth value of an SFBool field."""

    def getSFInt32(self) -> int:
        """The whole number of an SFInt32 field."""

    def getSFFloat(self) -> float:
        """The number of an SFFloat field."""

    def getSFVec2f(self) -> Floats2:
        """The two numbers of an SFVec2f field."""

    def getSFVec3f(self) -> Floats3:
        """The three numbers of an SFVec3f field."""

    def getSFRotation(self) -> Floats4:
        """The axis and the angle [rad] of an SFRotation field."""

    def getSFColor(self) -> Floats3:
        """Red, green, blue, 0 to 1 of an SFColor field."""

    def getSFString(self) -> str:
        """The text of an SFString field."""

    def getSFNode(self) -> Optional[Node]:
        """The node of an SFNode field; None for NULL."""

    def getMFBool(self, index: int) -> bool:
        """The truth value at `index`, from 0, of an MFBool field; -1: the last."""

    def getMFInt32(self, index: int) -> int:
        """The whole number at `index`, from 0, of an MFInt32 field; -1: the last."""

    def getMFFloat(self, index: int) -> float:
        """The number at `index`, from 0, of an MFFloat field; -1: the last."""

    def getMFVec2f(self, index: int) -> Floats2:
        """The two numbers at `index`, from 0, of an MFVec2f field; -1: the last."""

    def getMFVec3f(self, index: int) -> Floats3:
        """The three numbers at `index`, from 0, of an MFVec3f field; -1: the last."""

    def getMFRotation(self, index: int) -> Floats4:
        """The axis and the angle [rad] at `index`, from 0, of an MFRotation field; -1: the last."""

    def getMFColor(self, index: int) -> Floats3:
        """Red, green, blue, 0 to 1 at `index`, from 0, of an MFColor field; -1: the last."""

    def getMFString(self, index: int) -> str:
        """The text at `index`, from 0, of an MFString field; -1: the last."""

    def getMFNode(self, index: int) -> Optional[Node]:
        """The node at `index`, from 0, of an MFNode field; -1: the last; None for NULL."""

    def setSFBool(self, value: bool) -> None:
        """Sets the truth value of an SFBool field."""

    def setSFInt32(self, value: int) -> None:
        """Sets the whole number of an SFInt32 field."""

    def setSFFloat(self, value: float) -> None:
        """Sets the number of an SFFloat field."""

    def setSFVec2f(self, values: Numbers2) -> None:
        """Sets the two numbers of an SFVec2f field."""

    def setSFVec3f(self, values: Numbers3) -> None:
        """Sets the three numbers of an SFVec3f field."""

    def setSFRotation(self, values: Numbers4) -> None:
        """Sets the axis and the angle [rad] of an SFRotation field."""

    def setSFColor(self, values: Numbers3) -> None:
        """Sets red, green, blue, 0 to 1, of an SFColor field."""

    def setSFString(self, value: str) -> None:
        """Sets the text of an SFString field."""

    def setMFBool(self, index: int, value: bool) -> None:
        """Sets item `index`, from 0, of an MFBool field; -1 is the last."""

    def setMFInt32(self, index: int, value: int) -> None:
        """Sets item `index`, from 0, of an MFInt32 field; -1 is the last."""

    def setMFFloat(self, index: int, value: float) -> None:
        """Sets item `index`, from 0, of an MFFloat field; -1 is the last."""

    def setMFVec2f(self, index: int, values: Numbers2) -> None:
        """Sets item `index`, from 0, of an MFVec2f field; -1 is the last."""

    def setMFVec3f(self, index: int, values: Numbers3) -> None:
        """Sets item `index`, from 0, of an MFVec3f field; -1 is the last."""

    def setMFRotation(self, index: int, values: Numbers4) -> None:
        """Sets item `index`, from 0, of an MFRotation field; -1 is the last."""

    def setMFColor(self, index: int, values: Numbers3) -> None:
        """Sets item `index`, from 0, of an MFColor field; -1 is the last."""

    def setMFString(self, index: int, value: str) -> None:
        """Sets item `index`, from 0, of an MFString field; -1 is the last."""

    def insertMFBool(self, index: int, value: bool) -> None:
        """Inserts an item before item `index` of an MFBool field; -1: at the end."""

    def insertMFInt32(self, index: int, value: int) -> None:
        """Inserts an item before item `index` of an MFInt32 field; -1: at the end."""

    def insertMFFloat(self, index: int, value: float) -> None:
        """Inserts an item before item `index` of an MFFloat field; -1: at the end."""

    def insertMFVec2f(self, index: int, values: Numbers2) -> None:
        """Inserts an item before item `index` of an MFVec2f field; -1: at the end."""

    def insertMFVec3f(self, index: int, values: Numbers3) -> None:
        """Inserts an item before item `index` of an MFVec3f field; -1: at the end."""

    def insertMFRotation(self, index: int, values: Numbers4) -> None:
        """Inserts an item before item `index` of an MFRotation field; -1: at the end."""

    def insertMFColor(self, index: int, values: Numbers3) -> None:
        """Inserts an item before item `index` of an MFColor field; -1: at the end."""

    def insertMFString(self, index: int, value: str) -> None:
        """Inserts an item before item `index` of an MFString field; -1: at the end."""

    def removeMF(self, index: int) -> None:
        """Removes item `index` of an MF field, from 0; -1 is the last."""

    def removeSF(self) -> None:
        """Makes an SFNode field NULL."""

    def importMFNodeFromString(self, position: int, nodeString: str) -> None:
        """Inserts a node, as it is written in a world file, before item `position`; -1: at the end."""

    def importSFNodeFromString(self, nodeString: str) -> None:
        """Puts a node, as it is written in a world file, into an SFNode field."""

    def importMFNode(self, position: int, filename: str) -> None:
        """Inserts the nodes of a file before item `position` (older releases); -1: at the end."""

    def importSFNode(self, filename: str) -> None:
        """Puts the node of a file into an SFNode field (older releases)."""

    def removeMFNode(self, position: int) -> None:
        """Removes the node at `position` of an MFNode field (older releases)."""

    name = Value(getName)
    type = Value(getType)
    type_name = Value(getTypeName)
    count = Value(getCount)
    actual_field = Value(getActualField)
    sf_bool = Setting(getSFBool, setSFBool)
    sf_int32 = Setting(getSFInt32, setSFInt32)
    sf_float = Setting(getSFFloat, setSFFloat)
    sf_vec2f = Setting(getSFVec2f, setSFVec2f)
    sf_vec3f = Setting(getSFVec3f, setSFVec3f)
    sf_rotation = Setting(getSFRotation, setSFRotation)
    sf_color = Setting(getSFColor, setSFColor)
    sf_string = Setting(getSFString, setSFString)
    sf_node = Value(getSFNode)


@binds('wb_supervisor_proto_', own=OWN_HANDLE)
class Proto(Handle):
    """The PROTO of a node, and its fields."""

    def __repr__(self) -> str:
        return f'<Proto {self.getTypeName()}>'

    def getTypeName(self) -> str:
        """The name of the PROTO."""

    def isDerived(self) -> bool:
        """Whether the body of the PROTO is an instance of another PROTO."""

    def getParent(self) -> Optional[Proto]:
        """The PROTO of which its body is an instance; None if there is none."""

    def getField(self, fieldName: str) -> Optional[Field]:
        """The field of that name; None if the PROTO has none."""

    def getFieldByIndex(self, index: int) -> Optional[Field]:
        """The field of that number, from 0; None if there is none."""

    def getNumberOfFields(self) -> int:
        """The number of fields of the PROTO."""

    type_name = Value(getTypeName)
    is_derived = Value(isDerived)
    parent = Value(getParent)
    number_of_fields = Value(getNumberOfFields)


@binds('wb_supervisor_node_', own=OWN_HANDLE)
class Node(Handle):
    """A node of the world."""

    # The types of nodes, also those of older releases.
    (NO_NODE, APPEARANCE, BACKGROUND, BILLBOARD, BOX, CAD_SHAPE, CAPSULE, COLOR, CONE, COORDINATE,
     CYLINDER, DIRECTIONAL_LIGHT, ELEVATION_GRID, FOG, GROUP, IMAGE_TEXTURE, INDEXED_FACE_SET,
     INDEXED_LINE_SET, MATERIAL, MESH, MUSCLE, NORMAL, PBR_APPEARANCE, PLANE, POINT_LIGHT,
     POINT_SET, POSE, SHAPE, SPHERE, SPOT_LIGHT, TEXTURE_COORDINATE, TEXTURE_TRANSFORM, TRANSFORM,
     VIEWPOINT, ROBOT, ACCELEROMETER, ALTIMETER, BRAKE, CAMERA, COMPASS, CONNECTOR, DISPLAY,
     DISTANCE_SENSOR, EMITTER, GPS, GYRO, INERTIAL_UNIT, LED, LIDAR, LIGHT_SENSOR, LINEAR_MOTOR,
     PEN, POSITION_SENSOR, PROPELLER, RADAR, RANGE_FINDER, RECEIVER, ROTATIONAL_MOTOR, SKIN,
     SPEAKER, TOUCH_SENSOR, VACUUM_GRIPPER, BALL_JOINT, BALL_JOINT_PARAMETERS, CHARGER,
     CONTACT_PROPERTIES, DAMPING, FLUID, FOCUS, HINGE_JOINT, HINGE_JOINT_PARAMETERS, HINGE_2_JOINT,
     IMMERSION_PROPERTIES, JOINT_PARAMETERS, LENS, LENS_FLARE, PHYSICS, RECOGNITION, SLIDER_JOINT,
     SLOT, SOLID, SOLID_REFERENCE, TRACK, TRACK_WHEEL, WORLD_INFO, ZOOM, MICROPHONE,
     RADIO) = range(88)
    SUPERVISOR = 1000
    DIFFERENTIAL_WHEELS = 1001
    SERVO = 1002
    MOTOR = 1003
    EXTRUSION = 1004
    SWITCH = 1005
    CAMERA_ZOOM = 1006

    def getPose(self, fromNode: Optional[Node] = None) -> List[float]:
        """4×4 numbers [m], row by row, in the frame of the world or of another node."""
        return numbers(call('wb_supervisor_node_get_pose', self._ref, handle(fromNode)), 16)

    def enablePoseTracking(self, samplingPeriod: int, fromNode: Optional[Node] = None) -> None:
        """Sends the pose along with steps, each `samplingPeriod` ms, 1 or more."""
        call('wb_supervisor_node_enable_pose_tracking', self._ref, int(samplingPeriod),
             handle(fromNode))

    def disablePoseTracking(self, fromNode: Optional[Node] = None) -> None:
        """Ends what enablePoseTracking() began."""
        call('wb_supervisor_node_disable_pose_tracking', self._ref, handle(fromNode))

    def getContactPoints(self, includeDescendants: bool = False) -> List[ContactPoint]:
        """The contact points of the last step."""
        count = c_int()
        points: Any = call('wb_supervisor_node_get_contact_points', self._ref, includeDescendants,
                      byref(count))
        found: List[ContactPoint] = points[:count.value] if points else []
        return found

    def __repr__(self) -> str:
        return f'<Node {self.getDef() or self.getTypeName()}>'

    def getId(self) -> int:
        """The number of the node, which stays the same and belongs to no other node."""

    def getType(self) -> int:
        """The type of the node, a constant such as Node.SOLID."""

    def getTypeName(self) -> str:
        """The name of the PROTO of the node, else of its type."""

    def getBaseTypeName(self) -> str:
        """The name of the type; for a PROTO instance that of the node it consists of."""

    def getDef(self) -> str:
        """The DEF name of the node; '' without one."""

    def isProto(self) -> bool:
        """Whether the node is a PROTO instance."""

    def getProto(self) -> Optional[Proto]:
        """The PROTO that the node is an instance of; None for other nodes."""

    def getParentNode(self) -> Optional[Node]:
        """The node that holds this one; None for the root."""

    def getFromProtoDef(self, name: str) -> Optional[Node]:
        """The node with that DEF name inside of a PROTO instance; None without one."""

    def getField(self, fieldName: str) -> Optional[Field]:
        """The field of that name; None if there is none."""

    def getFieldByIndex(self, index: int) -> Optional[Field]:
        """The field of that number, from 0; None if there is none."""

    def getNumberOfFields(self) -> int:
        """The number of fields of the node, or of its PROTO."""

    def getBaseNodeField(self, fieldName: str) -> Optional[Field]:
        """The field of that name of the node that a PROTO consists of; it can only be read."""

    def getBaseNodeFieldByIndex(self, index: int) -> Optional[Field]:
        """The field of that number, from 0, of the node that a PROTO consists of."""

    def getNumberOfBaseNodeFields(self) -> int:
        """The number of fields of the node that a PROTO consists of."""

    def getPosition(self) -> Floats3:
        """x, y, z in the world [m]; three NaN for a node without a place."""

    def getOrientation(self) -> Floats9:
        """The rotation in the world: 3×3 numbers, row by row."""

    def getCenterOfMass(self) -> Floats3:
        """The center of mass in the world [m]."""

    def getStaticBalance(self) -> bool:
        """Whether the center of mass is above the support polygon of a Solid on the top level."""

    def getVelocity(self) -> Floats6:
        """Linear [m/s], then angular velocity [rad/s], in the axes of the world."""

    def setVelocity(self, velocity: Numbers6) -> None:
        """Sets linear [m/s] and angular velocity [rad/s], in the axes of the world."""

    def resetPhysics(self) -> None:
        """Stops a Solid and everything below it."""

    def restartController(self) -> None:
        """Ends the controller of a robot and starts it again."""

    def moveViewpoint(self) -> None:
        """Does nothing: there is no view."""

    def setVisibility(self, fromNode: Node, visible: bool) -> None:
        """Shows or hides the node for one Camera, RangeFinder or Lidar, from its next picture on."""

    def addForce(self, force: Numbers3, relative: bool) -> None:
        """Adds a force [N] to the center of mass for one step; `relative`: in the node's axes."""

    def addForceWithOffset(self, force: Numbers3, offset: Numbers3, relative: bool) -> None:
        """Adds a force [N] at `offset` in the axes of the node [m] for one step."""

    def addTorque(self, torque: Numbers3, relative: bool) -> None:
        """Adds a torque [N·m] for one step; `relative`: in the node's axes."""

    def remove(self) -> None:
        """Removes the node from the world."""

    def setJointPosition(self, position: float, index: int = 1) -> None:
        """Puts a joint at `position` [rad or m]; `index` counts its axes from 1."""

    def saveState(self, stateName: str) -> None:
        """Saves places, joint positions and velocities below the node under a name."""

    def loadState(self, stateName: str) -> None:
        """Restores what saveState() saved; '__init__' is the state at the start."""

    def exportString(self) -> str:
        """The node as it would be written in a world file."""

    def disableContactPointsTracking(self) -> None:
        """Ends what enableContactPointsTracking() began."""

    def enableContactPointsTracking(self, samplingPeriod: int,
                                    includeDescendants: bool = False) -> None:
        """Sends contact points along with steps, each `samplingPeriod` ms, 1 or more."""

    def getNumberOfContactPoints(self, includeDescendants: bool = False) -> int:
        """The number of contact points of the last step."""

    def getContactPoint(self, index: int) -> Floats3:
        """The place of a contact point in the world [m], by its number from 0."""

    def getContactPointNode(self, index: int) -> Optional[Node]:
        """The node that a contact point belongs to, by its number from 0."""

    def getProtoField(self, fieldName: str) -> Optional[Field]:
        """The field of that name of the PROTO (older releases); None if there is none."""

    def getProtoFieldByIndex(self, index: int) -> Optional[Field]:
        """The field of that number of the PROTO, from 0 (older releases)."""

    def getProtoNumberOfFields(self) -> int:
        """The number of fields of the PROTO (older releases)."""

    pose = Value(getPose)
    contact_points = Value(getContactPoints)
    id = Value(getId)
    type = Value(getType)
    type_name = Value(getTypeName)
    base_type_name = Value(getBaseTypeName)
    is_proto = Value(isProto)
    proto = Value(getProto)
    parent_node = Value(getParentNode)
    number_of_fields = Value(getNumberOfFields)
    number_of_base_node_fields = Value(getNumberOfBaseNodeFields)
    position = Value(getPosition)
    orientation = Value(getOrientation)
    center_of_mass = Value(getCenterOfMass)
    static_balance = Value(getStaticBalance)
    velocity = Setting(getVelocity, setVelocity)
    number_of_contact_points = Value(getNumberOfContactPoints)
    proto_number_of_fields = Value(getProtoNumberOfFields)


declare('wb_node_get_name', c_char_p, c_int)
# The library names nodes that are newer than the constants of Node.
for _number in itertools.count(Node.RADIO + 1):
    _name = decoded(call('wb_node_get_name', _number))
    if not _name:
        break
    setattr(Node, snake(_name).upper(), _number)

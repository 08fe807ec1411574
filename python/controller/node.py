# SPDX-License-Identifier: Apache-2.0
"""Nodes and fields of the world, as a Supervisor sees them."""
from ctypes import POINTER, Structure, byref, c_bool, c_double, c_int

from .wb import HANDLE, OWN_HANDLE, Handle, binds, call, declare, handle, numbers

# By their numbers, from 0 on.
NODE_TYPES = '''
NO_NODE APPEARANCE BACKGROUND BILLBOARD BOX CAD_SHAPE CAPSULE COLOR CONE COORDINATE CYLINDER
DIRECTIONAL_LIGHT ELEVATION_GRID FOG GROUP IMAGE_TEXTURE INDEXED_FACE_SET INDEXED_LINE_SET
MATERIAL MESH MUSCLE NORMAL PBR_APPEARANCE PLANE POINT_LIGHT POINT_SET POSE SHAPE SPHERE
SPOT_LIGHT TEXTURE_COORDINATE TEXTURE_TRANSFORM TRANSFORM VIEWPOINT ROBOT ACCELEROMETER
ALTIMETER BRAKE CAMERA COMPASS CONNECTOR DISPLAY DISTANCE_SENSOR EMITTER GPS GYRO INERTIAL_UNIT
LED LIDAR LIGHT_SENSOR LINEAR_MOTOR PEN POSITION_SENSOR PROPELLER RADAR RANGE_FINDER RECEIVER
ROTATIONAL_MOTOR SKIN SPEAKER TOUCH_SENSOR VACUUM_GRIPPER BALL_JOINT BALL_JOINT_PARAMETERS
CHARGER CONTACT_PROPERTIES DAMPING FLUID FOCUS HINGE_JOINT HINGE_JOINT_PARAMETERS HINGE_2_JOINT
IMMERSION_PROPERTIES JOINT_PARAMETERS LENS LENS_FLARE PHYSICS RECOGNITION SLIDER_JOINT SLOT
SOLID SOLID_REFERENCE TRACK TRACK_WHEEL WORLD_INFO ZOOM MICROPHONE RADIO
'''.split()
# Of older releases.
OLD_NODE_TYPES = {
    'SUPERVISOR': 1000,
    'DIFFERENTIAL_WHEELS': 1001,
    'SERVO': 1002,
    'MOTOR': 1003,
    'EXTRUSION': 1004,
    'SWITCH': 1005,
    'CAMERA_ZOOM': 1006,
}


class ContactPoint(Structure):
    """Where a solid touches something: `point` in the world's axes [m], and `node_id`."""

    _fields_ = [('_point', c_double * 3), ('node_id', c_int), ('_padding', c_int)]

    @property
    def point(self):
        return list(self._point)

    def getPoint(self):
        return self.point

    def getNodeId(self):
        return self.node_id


declare('wb_supervisor_node_get_pose', POINTER(c_double), HANDLE, HANDLE)
declare('wb_supervisor_node_enable_pose_tracking', None, HANDLE, c_int, HANDLE)
declare('wb_supervisor_node_disable_pose_tracking', None, HANDLE, HANDLE)
declare('wb_supervisor_node_get_contact_points', POINTER(ContactPoint), HANDLE, c_bool,
        POINTER(c_int))


@binds('wb_supervisor_field_', '''
    string getName()
    int getType()
    string getTypeName()
    int getCount()
    Field getActualField()
    void enableSFTracking(int samplingPeriod)
    void disableSFTracking()
    bool getSFBool()
    int getSFInt32()
    double getSFFloat()
    double[2] getSFVec2f()
    double[3] getSFVec3f()
    double[4] getSFRotation()
    double[3] getSFColor()
    string getSFString()
    Node getSFNode()
    bool getMFBool(int index)
    int getMFInt32(int index)
    double getMFFloat(int index)
    double[2] getMFVec2f(int index)
    double[3] getMFVec3f(int index)
    double[4] getMFRotation(int index)
    double[3] getMFColor(int index)
    string getMFString(int index)
    Node getMFNode(int index)
    void setSFBool(bool value)
    void setSFInt32(int value)
    void setSFFloat(double value)
    void setSFVec2f(double[2] values)
    void setSFVec3f(double[3] values)
    void setSFRotation(double[4] values)
    void setSFColor(double[3] values)
    void setSFString(string value)
    void setMFBool(int index, bool value)
    void setMFInt32(int index, int value)
    void setMFFloat(int index, double value)
    void setMFVec2f(int index, double[2] values)
    void setMFVec3f(int index, double[3] values)
    void setMFRotation(int index, double[4] values)
    void setMFColor(int index, double[3] values)
    void setMFString(int index, string value)
    void insertMFBool(int index, bool value)
    void insertMFInt32(int index, int value)
    void insertMFFloat(int index, double value)
    void insertMFVec2f(int index, double[2] values)
    void insertMFVec3f(int index, double[3] values)
    void insertMFRotation(int index, double[4] values)
    void insertMFColor(int index, double[3] values)
    void insertMFString(int index, string value)
    void removeMF(int index)
    void removeSF()
    void importMFNodeFromString(int position, string nodeString)
    void importSFNodeFromString(string nodeString)
    void importMFNode(int position, string filename)
    void importSFNode(string filename)
    void removeMFNode(int position)
''', own=OWN_HANDLE)
class Field(Handle):
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

    # The ends of the names of the functions for each type.
    _KINDS = (None, 'Bool', 'Int32', 'Float', 'Vec2f', 'Vec3f', 'Rotation', 'Color', 'String',
              'Node')

    def _kind(self):
        return self._KINDS[self.getType() % Field.MF]

    @property
    def value(self):
        """What the field holds: of an MF field, a list."""
        if self.getType() < Field.MF:
            return getattr(self, 'getSF' + self._kind())()
        get = getattr(self, 'getMF' + self._kind())
        return [get(i) for i in range(self.getCount())]

    @value.setter
    def value(self, value):
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


@binds('wb_supervisor_proto_', '''
    string getTypeName()
    bool isDerived()
    Proto getParent()
    Field getField(string fieldName)
    Field getFieldByIndex(int index)
    int getNumberOfFields()
''', own=OWN_HANDLE)
class Proto(Handle):
    pass


@binds('wb_supervisor_node_', '''
    int getId()
    int getType()
    string getTypeName()
    string getBaseTypeName()
    string getDef()
    bool isProto()
    Proto getProto()
    Node getParentNode()
    Node getFromProtoDef(string name)
    Field getField(string fieldName)
    Field getFieldByIndex(int index)
    int getNumberOfFields()
    Field getBaseNodeField(string fieldName)
    Field getBaseNodeFieldByIndex(int index)
    int getNumberOfBaseNodeFields()
    double[3] getPosition()
    double[9] getOrientation()
    double[3] getCenterOfMass()
    bool getStaticBalance()
    double[6] getVelocity()
    void setVelocity(double[6] velocity)
    void resetPhysics()
    void restartController()
    void moveViewpoint()
    void setVisibility(Node fromNode, bool visible)
    void addForce(double[3] force, bool relative)
    void addForceWithOffset(double[3] force, double[3] offset, bool relative)
    void addTorque(double[3] torque, bool relative)
    void remove()
    void setJointPosition(double position, int index=1)
    void saveState(string stateName)
    void loadState(string stateName)
    string exportString()
    void disableContactPointsTracking()
    void enableContactPointsTracking(int samplingPeriod, bool includeDescendants=False)
    int getNumberOfContactPoints(bool includeDescendants=False)
    double[3] getContactPoint(int index)
    Node getContactPointNode(int index)
    Field getProtoField(string fieldName)
    Field getProtoFieldByIndex(int index)
    int getProtoNumberOfFields()
''', own=OWN_HANDLE)
class Node(Handle):
    def getPose(self, fromNode=None):
        """16 numbers, row by row, in the frame of the world or of another node."""
        return numbers(call('wb_supervisor_node_get_pose', self._ref, handle(fromNode)), 16)

    def enablePoseTracking(self, samplingPeriod, fromNode=None):
        call('wb_supervisor_node_enable_pose_tracking', self._ref, int(samplingPeriod),
             handle(fromNode))

    def disablePoseTracking(self, fromNode=None):
        call('wb_supervisor_node_disable_pose_tracking', self._ref, handle(fromNode))

    def getContactPoints(self, includeDescendants=False):
        count = c_int()
        points = call('wb_supervisor_node_get_contact_points', self._ref, includeDescendants,
                      byref(count))
        return points[:count.value] if points else []

    def __repr__(self):
        return f'<Node {self.getDef() or self.getTypeName()}>'


for _number, _name in enumerate(NODE_TYPES):
    setattr(Node, _name, _number)
for _name, _number in OLD_NODE_TYPES.items():
    setattr(Node, _name, _number)

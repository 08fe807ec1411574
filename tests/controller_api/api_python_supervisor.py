# SPDX-License-Identifier: Apache-2.0
"""A Supervisor in Python reads nodes and fields and changes them."""
import contextlib
import io
import math
import unittest

from controller import Field, Node, Supervisor
from controller.wb import signatures, wb

robot = Supervisor()


class PythonSupervisor(unittest.TestCase):
    def setUp(self):
        self.ball = robot.getFromDef('BALL')

    def near(self, values, expected, delta=1e-9):
        self.assertEqual(len(values), len(expected))
        for value, wanted in zip(values, expected):
            self.assertAlmostEqual(value, wanted, delta=delta)

    def test_finds_nodes(self):
        self.assertIs(robot.getFromDef('BALL'), self.ball)
        self.assertIs(robot.getFromId(self.ball.getId()), self.ball)
        self.assertEqual((self.ball.type, self.ball.getTypeName()), (Node.SOLID, 'Solid'))
        self.assertEqual(self.ball.getDef(), 'BALL')
        self.assertIs(self.ball.getParentNode(), robot.getRoot())
        self.assertEqual(robot.getSelf().getType(), Node.ROBOT)
        self.assertEqual(robot.getFromDevice(robot.getDevice('place')).type, Node.GPS)
        self.assertIsNone(robot.getFromDef('NOBODY'))
        self.assertFalse(self.ball.isProto())

    def test_reads_fields(self):
        radius = self.ball.getField('boundingObject').getSFNode().getField('radius')
        self.assertEqual((radius.getType(), radius.getTypeName()), (Field.SF_FLOAT, 'SFFloat'))
        self.assertEqual((radius.value, radius.getName()), (0.25, 'radius'))
        self.near(self.ball.getField('rotation').getSFRotation(), [0, 0, 1, 0.5])
        self.assertEqual(self.ball.getField('name').value, 'ball')
        self.assertIs(robot.getSelf().getField('supervisor').getSFBool(), True)
        self.assertIsNone(self.ball.getField('smell'))
        children = robot.getRoot().getField('children')
        self.assertIn(self.ball, children.value)

    def test_changes_lists(self):
        info = robot.getRoot().getField('children').getMFNode(0).getField('info')
        self.assertEqual((info.count, info.value), (2, ['first', 'second']))
        info.insertMFString(1, 'between')
        info.setMFString(-1, 'last')
        self.assertEqual(info.value, ['first', 'between', 'last'])
        info.removeMF(0)
        self.assertEqual(info.value, ['between', 'last'])
        info.value = ['a', 'b', 'c']
        self.assertEqual(info.value, ['a', 'b', 'c'])
        info.value = ['d']
        self.assertEqual([info.getMFString(i) for i in range(info.getCount())], ['d'])

    def test_moves_a_body(self):
        translation = self.ball.getField('translation')
        translation.setSFVec3f([4, 5, 6])
        self.ball.setVelocity([0.5, 0, 0, 0, 0, 0])
        for _ in range(10):
            robot.step(16)
        self.near(self.ball.getPosition(), [4.08, 5, 6])
        self.near(translation.value, [4.08, 5, 6])
        self.near(self.ball.velocity, [0.5, 0, 0, 0, 0, 0])
        c, s = math.cos(0.5), math.sin(0.5)
        self.near(self.ball.getOrientation(), [c, -s, 0, s, c, 0, 0, 0, 1])
        self.near(self.ball.getPose()[3::4], [4.08, 5, 6, 1])
        self.near(self.ball.getPose(robot.getSelf())[:3], [c, -s, 0])
        self.ball.addForce([0, 2.0, 0], False)
        robot.step(16)
        self.near(self.ball.getVelocity(), [0.5, 0.016, 0, 0, 0, 0])

    def test_fills_short_vectors_and_refuses_long_ones(self):
        robot.getRoot().getField('children').importMFNodeFromString(
            -1, 'DEF RAMP Group { children [ Shape { geometry IndexedFaceSet { coord DEF '
            'PLACES Coordinate { point [ 1 2 3, 4 5 6 ] } } } DEF SPUN Solid { name "spun" '
            'boundingObject Sphere { } physics Physics { } } ] }')
        points = robot.getFromDef('PLACES').getField('point')
        spun = robot.getFromDef('SPUN')
        turn = spun.getField('rotation')
        changes = [  # method, arguments before the vector, a vector that is too short, its correct
                     # length
            (spun.getField('translation').setSFVec3f, (), [7.5, 8.5], 3),
            (turn.setSFRotation, (), [0, 0, 1], 4),
            (points.setMFVec3f, (1,), [0.5, 500], 3),
            (points.insertMFVec3f, (0,), [0.25], 3),
            (spun.setVelocity, (), [1, 0.5, 0], 6),
        ]
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            for change, before, short, _ in changes:
                change(*before, short)
            spun.addForce([1], False)
            spun.addForceWithOffset([1, 2], [3], True)
            spun.addTorque([], False)
        self.assertRegex(told.getvalue(), r'^Warning: .*api_python_supervisor.py:\d+: '
                         r'setSFVec3f\(\) wants 3 numbers, not 2; .*\n$')
        self.near(spun.getField('translation').value, [7.5, 8.5, 0])
        self.near(turn.value, [0, 0, 1, 0])
        self.assertEqual(points.value, [[0.25, 0, 0], [1, 2, 3], [0.5, 500, 0]])
        self.near(spun.getVelocity(), [1, 0.5, 0, 0, 0, 0])
        for change, before, _, count in changes:
            with self.assertRaises(IndexError):
                change(*before, [1.0] * (count + 1))
        with self.assertRaises(IndexError):
            points.value = [[1, 2, 3, 4]]
        robot.getFromDef('RAMP').remove()

    def test_imports_and_removes_nodes(self):
        children = robot.getRoot().getField('children')
        count = children.getCount()
        children.importMFNodeFromString(-1, 'DEF LATE Solid { translation 7 8 9 }')
        self.assertEqual(children.getCount(), count + 1)
        self.near(robot.getFromDef('LATE').position, [7, 8, 9])
        robot.getFromDef('LATE').remove()
        self.assertEqual(children.getCount(), count)
        self.assertIsNone(robot.getFromDef('LATE'))

    def test_every_function_is_in_the_library(self):
        self.assertEqual([name for name in signatures if not hasattr(wb, name)], [])

    def test_accepts_what_has_no_picture(self):
        robot.setLabel(0, 'seen by nobody', 0.1, 0.1, 0.05, 0xff0000)
        robot.simulation_mode = Supervisor.SIMULATION_MODE_FAST
        self.assertEqual(robot.simulationGetMode(), Supervisor.SIMULATION_MODE_FAST)
        self.assertEqual(self.ball.getContactPoints(True), [])
        self.assertFalse(robot.virtualRealityHeadsetIsUsed())


if __name__ == '__main__':
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(PythonSupervisor)
    passed = unittest.TextTestRunner(verbosity=0).run(tests).wasSuccessful()
    robot.simulationQuit(0 if passed else 1)
    robot.step(16)
    raise SystemExit(not passed)

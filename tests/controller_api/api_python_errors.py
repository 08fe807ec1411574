# SPDX-License-Identifier: Apache-2.0
"""api_python_errors.py SERVOSIM: what a controller in Python gets when it has no simulation.

Each test runs its controllers in separate processes, since a process has one simulation.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

SERVOSIM = sys.argv.pop()
WORLDS = pathlib.Path(__file__).resolve().parents[1] / 'worlds'
OURS = re.compile('SERVOSIM_.*|WEBOTS_(CONTROLLER_URL|ROBOT_NAME)')


class PythonErrors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, command, **settings):
        """Starts a process that knows no simulations except those of this test."""
        environment = {k: v for k, v in os.environ.items() if not OURS.fullmatch(k)}
        environment.update(settings, TMPDIR=self.folder, PYTHONDONTWRITEBYTECODE='1')
        process = subprocess.Popen(command, env=environment, cwd=self.folder, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for file in (process.stdin, process.stdout, process.stderr):
            file.close()

    def controller(self, program, **settings):
        program = 'from controller import *\n' + textwrap.dedent(program)
        return self.start([sys.executable, '-c', program], **settings)

    def run_controller(self, program, **settings):
        """Returns exit status, standard output and standard error."""
        process = self.controller(program, **settings)
        out, err = process.communicate(timeout=50)
        return process.returncode, out, err

    def simulation(self, world, *robots):
        """Starts a run that waits for extern controllers of these robots."""
        options = [word for robot in robots for word in ('--controller', robot + '=<extern>')]
        process = self.start([SERVOSIM, 'run', str(WORLDS / world), *options])
        for _ in robots:
            self.assertIn('waits for its controller', process.stderr.readline())
        return process

    def raises(self, kind, builtin, texts, **settings):
        """Robot() throws, and the program goes on."""
        status, out, err = self.run_controller(f'''
            try:
                Robot()
            except {builtin} as error:
                assert type(error) is {kind} and isinstance(error, SimulationError), error
                print(error)
            print('goes on')
            ''', **settings)
        self.assertEqual((status, out.splitlines()[-1]), (0, 'goes on'), err)
        for text in texts:
            self.assertIn(text, out)
        self.assertNotIn('Error', err)  # the message appears once

    def test_a_bad_world_is_an_error_with_its_places(self):
        self.raises('WorldError', 'ValueError',
                    ['api_broken.wbt:4:7: error: ', 'Correct it, or name another world'],
                    SERVOSIM_WORLD=str(WORLDS / 'api_broken.wbt'))
        self.raises('WorldError', 'ValueError', ['nowhere/none.wbt'],
                    SERVOSIM_WORLD='nowhere/none.wbt')

    def test_after_a_bad_world_another_one_can_be_taken(self):
        status, out, err = self.run_controller(f'''
            import os
            for world in ('api_broken.wbt', 'api_arm.wbt'):
                os.environ['SERVOSIM_WORLD'] = os.path.join({str(WORLDS)!r}, world)
                try:
                    robot = Robot()
                except WorldError:
                    print('is bad')
            print(robot.getName(), robot.step(32), robot.getTime())
            ''')
        self.assertEqual((status, out), (0, 'is bad\narm 0 0.032\n'), err)

    def test_an_unknown_robot_is_an_error_with_those_there_are(self):
        world = str(WORLDS / 'api_several.wbt')
        self.raises('RobotError', 'LookupError',
                    ['api_several.wbt', 'no robot is called "carl"; there is "anna", "bert"',
                     'WEBOTS_ROBOT_NAME'],
                    SERVOSIM_WORLD=world, WEBOTS_ROBOT_NAME='carl')
        self.raises('RobotError', 'LookupError', ['several robots', '"anna", "bert"'],
                    SERVOSIM_WORLD=world)

    def test_an_unknown_robot_of_a_running_simulation_is_an_error(self):
        self.simulation('api_several.wbt', 'anna', 'bert')
        self.raises('RobotError', 'LookupError',
                    ['WEBOTS_CONTROLLER_URL=carl: ', "no robot 'carl' waits", "'anna', 'bert'"],
                    WEBOTS_CONTROLLER_URL='carl')

    def test_no_simulation_is_an_error(self):
        self.raises('NoSimulationError', 'ConnectionError', ['servosim run WORLD.wbt'])
        self.raises('NoSimulationError', 'ConnectionError', ['WEBOTS_CONTROLLER_URL=ftp://x: '],
                    WEBOTS_CONTROLLER_URL='ftp://x')
        self.raises('NoSimulationError', 'ConnectionError', ['SERVOSIM_CONTROLLER_FD=77'],
                    SERVOSIM_CONTROLLER_FD='77')

    def test_bad_settings_are_an_error(self):
        self.raises('SimulationError', 'RuntimeError', ['SERVOSIM_SEED=12x'],
                    SERVOSIM_WORLD=str(WORLDS / 'api_arm.wbt'), SERVOSIM_SEED='12x')

    def test_whatever_is_called_first_raises_it(self):
        for call in ('Keyboard(16)', 'Keyboard().getKey()', 'Motor("x")', 'Motion("x.motion")'):
            status, out, err = self.run_controller(f'''
                for _ in range(2):
                    try:
                        {call}
                    except NoSimulationError:
                        print('raises')
                ''')
            self.assertEqual((status, out), (0, 'raises\nraises\n'), err)

    def test_an_error_that_nobody_handles_ends_the_program_as_python_does(self):
        status, out, err = self.run_controller('''
            import atexit
            atexit.register(print, 'left in order')
            try:
                Robot()
            finally:
                print('cleaned up')
            ''', SERVOSIM_WORLD=str(WORLDS / 'api_broken.wbt'))
        self.assertEqual((status, out), (1, 'cleaned up\nleft in order\n'))
        self.assertIn('Traceback (most recent call last):\n', err)
        self.assertIn('\ncontroller.errors.WorldError: ', err)

    # It waits for a line between two steps, so that the test can kill its simulator there.
    LOSES = '''
        robot = Supervisor()
        sensor = robot.getDevice('shoulder sensor')
        sensor.enable(16)
        assert robot.step(32) == 0
        before = sensor.getValue()
        print('runs', flush=True)
        input()
        def again():
            {again}
        {first}
        '''

    def after_the_loss(self, first, again='pass'):
        simulator = self.simulation('api_arm.wbt', 'arm')
        process = self.controller(self.LOSES.format(first=first, again=again),
                                  WEBOTS_CONTROLLER_URL='arm')
        self.assertEqual(process.stdout.readline(), 'runs\n')
        simulator.send_signal(signal.SIGKILL)
        simulator.wait()
        out, err = process.communicate('\n', timeout=50)
        return process.returncode, out, err

    def test_windows_of_opencv_show_nothing_without_a_display(self):
        """The test's cv2 has windows for X11 only, like the wheels of OpenCV."""
        cv2 = pathlib.Path(self.folder) / 'cv2'
        (cv2 / 'qt' / 'plugins' / 'platforms').mkdir(parents=True)
        (cv2 / '__init__.py').write_text(textwrap.dedent("""\
            def getBuildInformation():
                return 'GUI:                           QT5'
            def imshow(name, picture):
                raise SystemExit('imshow opens a window')
            waitKey = destroyAllWindows = createTrackbar = imshow
            def cvtColor(picture):
                return picture
            """))
        program = """
            class Picture:
                shape = (48, 64, 3)
            cv2.imshow('w', cv2.cvtColor(Picture()))
            cv2.createTrackbar('t', 'w', 7, 9, None)
            print(cv2.waitKey(1), cv2.getTrackbarPos('t', 'w'), cv2.getWindowImageRect('w'))
            cv2.destroyAllWindows()
            """
        without = {'DISPLAY': '', 'WAYLAND_DISPLAY': '', 'PYTHONPATH': os.pathsep.join(
            [self.folder, *filter(None, [os.environ.get('PYTHONPATH')])])}
        for first, second in (('controller', 'cv2'), ('cv2', 'controller')):
            with self.subTest(first):
                process = self.start([sys.executable, '-c', f'import {first}\nimport {second}\n' +
                                      textwrap.dedent(program)], **without)
                out, err = process.communicate(timeout=50)
                self.assertEqual((process.returncode, out, err), (0, '-1 7 (0, 0, 64, 48)\n', ''))
        # A Qt that is off-screen stays so. Windows stay as they are if there is a display.
        for display in ('', ':7'):
            with self.subTest(display):
                if not display:
                    (cv2 / 'qt' / 'plugins' / 'platforms' / 'libqoffscreen.so').touch()
                process = self.start([sys.executable, '-c', 'import cv2\nimport controller\n' +
                                      textwrap.dedent(program)], **{**without, 'DISPLAY': display})
                out, err = process.communicate(timeout=50)
                self.assertEqual((process.returncode, out, err), (1, '', 'imshow opens a window\n'))

    def test_a_lost_connection_is_an_error_of_each_call_that_needs_it(self):
        for call in ('robot.step(16)', 'robot.stepBegin(16), robot.stepEnd()', 'robot.getRoot()',
                     'robot.getUrdf()', 'robot.waitForUserInputEvent(0, 16)'):
            with self.subTest(call):
                status, out, err = self.after_the_loss(
                    'again(); again(); robot.cleanup(); print(sensor.getValue() == before)', f'''
            try:
                {call}
            except ConnectionError as error:
                assert type(error) is ConnectionLostError, error
                print(error)
            else:
                print('no error')
                ''')
                self.assertEqual((status, err), (0, ''))
                lines = out.splitlines()
                self.assertEqual(lines[:2], lines[2:4])  # the same lines twice
                self.assertEqual(lines[4:], ['True'])
                self.assertRegex(lines[0], 'the connection of robot "arm" to its simulator is '
                                           r'lost after 0\.032 s of simulated time\.')
                self.assertIn('start both again', lines[1])

    def test_a_lost_connection_that_nobody_handles_ends_the_program_with_1(self):
        status, out, err = self.after_the_loss('robot.step(16)')
        self.assertEqual((status, out), (1, ''))
        self.assertIn('Traceback (most recent call last):\n', err)
        self.assertIn('\ncontroller.errors.ConnectionLostError: ', err)

    def test_the_end_of_a_simulation_is_no_error(self):
        status, out, err = self.run_controller('''
            robot = Supervisor()
            assert robot.step(32) == 0
            robot.simulationQuit(3)
            print(robot.step(32))
            try:
                robot.step(32)
            finally:
                print('cleaned up')
            ''', SERVOSIM_WORLD=str(WORLDS / 'api_arm.wbt'))
        self.assertEqual((status, out, err), (0, '-1\ncleaned up\n', ''))

    def test_a_simulation_that_fails_is_an_error(self):
        status, out, err = self.run_controller('''
            robot = Supervisor()
            robot.getFromDef('BALL').addForce([1e300, 0, 0], False)
            for _ in range(2):
                try:
                    robot.step(16)
                except RuntimeError as error:
                    assert type(error) is SimulationError, error
                    print(error)
            ''', SERVOSIM_WORLD=str(WORLDS / 'api_objects.wbt'))
        self.assertEqual((status, len(out.splitlines())), (0, 2), out + err)
        self.assertIn('ball', out)

    def test_each_thread_gets_its_own_error(self):
        status, out, err = self.run_controller('''
            import threading
            def run(number):
                for _ in range(200):
                    try:
                        Keyboard().getKey()
                    except NoSimulationError:
                        continue
                    print('no error')
            threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            ''', SERVOSIM_CONTROLLER_FD='77')
        self.assertEqual((status, out), (0, ''), err)


if __name__ == '__main__':
    unittest.main(verbosity=0)

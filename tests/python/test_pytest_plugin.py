# SPDX-License-Identifier: Apache-2.0
"""The plugin pytest_servosim in runs of pytest of their own."""
import os
import shutil

import pytest

from conftest import WORLDS, needs_page

PROGRAM = os.environ.get('SERVOSIM_TEST_PROGRAM')
FAULTY = '#VRML_SIM R2025a utf8\nWorldInfo { }\nRobot { controller "<none>" }\nGone { }\n'
HOLDS = 'world = "worlds/pendulum.wbt"\nduration = 0.4\n[[expect]]\njoint = "pendulum/pivot"\nposition = [-3, 3]\n'
FAILS = HOLDS.replace('[-3, 3]', '[0.7, 0.8]')
SWINGS = '''
import pytest

pytestmark = pytest.mark.webots_world('worlds/pendulum.wbt')

def test_it_begins_at_rest(simulation):
    assert simulation.time == 0
    simulation.joints['pendulum/pivot'].set_state(0.3, 0.0)
    simulation.step(20)
    assert abs(simulation.joints['pendulum/pivot'].velocity) > 0.1

def test_each_has_its_own(simulation):
    assert simulation.time == 0 and simulation.joints['pendulum/pivot'].position == 0

@pytest.mark.servosim(settings={'WorldInfo.basicTimeStep': 4})
def test_keywords(simulation):
    assert simulation.time_step == 0.004
'''


@pytest.fixture
def project(pytester):
    pytester.mkdir('worlds')
    shutil.copy(WORLDS / 'pendulum.wbt', pytester.path / 'worlds')
    return pytester


def run(project, *arguments):
    return project.runpytest_subprocess('-p', 'no:cacheprovider', f'--servosim-program={PROGRAM}', *arguments)


def test_worlds_and_specifications_of_the_command_line(project):
    project.path.joinpath('holds.toml').write_text(HOLDS)
    result = run(project, '-v', 'worlds/pendulum.wbt', 'holds.toml')
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(['*pendulum.wbt::check PASSED*', '*holds.toml::test PASSED*'])


def test_a_failure_says_what_came(project):
    project.path.joinpath('fails.toml').write_text(FAILS)
    result = run(project, 'fails.toml')
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*fails.toml:3: pendulum/pivot position: expected 0.7 to 0.8 rad; came *',
                                 '*replay: servosim-test/fails.svt*'])
    assert (project.path / 'servosim-test/fails.svt').exists()


def test_a_world_that_lacks_something(project):
    project.path.joinpath('faulty.wbt').write_text(FAULTY)
    result = run(project, 'faulty.wbt')
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*it lacks *Gone*', '*faulty.wbt:4:*'])
    project.makeini('[pytest]\nservosim_allow_missing = protos\n')
    run(project, 'faulty.wbt').assert_outcomes(passed=1)


def test_a_file_that_cannot_be_read(project):
    project.path.joinpath('broken.toml').write_text('world = 3\n')
    project.path.joinpath('broken.wbt').write_text('#VRML_SIM R2025a utf8\nRobot {\n')
    result = run(project, 'broken.toml', 'broken.wbt')
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(['*broken.toml:1*', '*it cannot be simulated:*', '*broken.wbt:*error:*'])


def test_only_the_patterns_are_collected(project):
    for name in ('one.toml', 'servosim.toml'):
        project.path.joinpath(name).write_text(HOLDS if name == 'one.toml' else 'seed = 3\n')
    assert run(project).ret == pytest.ExitCode.NO_TESTS_COLLECTED
    project.makeini('[pytest]\nservosim_files =\n  o*.toml\n  worlds/*.wbt\n')
    result = run(project, '-v')
    result.assert_outcomes(passed=2)


def test_no_program(project):
    result = project.runpytest_subprocess('-p', 'no:cacheprovider', '--servosim-program=/nowhere/servosim',
                                          'worlds/pendulum.wbt')
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*/nowhere/servosim*'])


def test_the_fixture(project):
    project.makepyfile(SWINGS)
    run(project, '-W', 'error').assert_outcomes(passed=3)


def test_several_worlds_are_a_test_each(project):
    shutil.copy(WORLDS / 'arm.wbt', project.path / 'worlds')
    project.makepyfile("""
        import pytest
        @pytest.mark.webots_world('worlds/arm.wbt', scope='module')
        @pytest.mark.webots_world('worlds/pendulum.wbt')
        def test_names(simulation, request):
            assert any(name.startswith(request.node.callspec.id) for name in simulation.joints)
    """)
    result = run(project, '-v')
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(['*test_names?pendulum?*', '*test_names?arm?*'])


@needs_page
def test_a_test_that_fails_leaves_a_replay(project):
    project.makepyfile(test_swing="""
        import pytest
        @pytest.mark.webots_world('worlds/pendulum.wbt')
        def test_it(simulation):
            simulation.step(200)
            assert simulation.time == 0
    """)
    result = run(project, '--servosim-results=kept')
    result.assert_outcomes(failed=1)
    page = project.path / 'kept/test_swing.py-test_it-pendulum.html'
    result.stdout.fnmatch_lines([f'kept/{page.name}'])
    assert 'id="recording-0"' in page.read_text()


@pytest.mark.parametrize('marks, message', [
    ('', 'the fixture simulation needs @pytest.mark.webots_world(PATH)'),
    ("@pytest.mark.webots_world('none.wbt')", 'there is no world none.wbt; tried '),
    ("@pytest.mark.webots_world('worlds/pendulum.wbt', args=['--batch'])", 'simulation has no Webots'),
    ("@pytest.mark.webots_world('worlds/pendulum.wbt')\n@pytest.mark.webots_controller('a', 'b')",
     'the fixture simulation runs no controllers'),
], ids=['no_world', 'no_file', 'args', 'controller'])
def test_wrong_marks(project, marks, message):
    project.makepyfile(f'import pytest\n{marks}\ndef test_it(simulation):\n    pass\n')
    result = run(project)
    assert result.ret != 0
    text = str(result.stdout) + str(result.stderr)
    assert message in text


def test_an_incomplete_world_is_no_simulation(project):
    project.path.joinpath('worlds/faulty.wbt').write_text(FAULTY)
    project.makepyfile("""
        import pytest
        @pytest.mark.webots_world('worlds/faulty.wbt')
        def test_it(simulation):
            pass
    """)
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(['*faulty.wbt:4:*Gone*'])

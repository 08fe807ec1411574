# SPDX-License-Identifier: Apache-2.0
"""pytest-servosim: worlds and specifications as tests of pytest, and simulations for tests in Python.

    pytest worlds/arm.wbt worlds/arm.toml     # `servosim check` and `servosim test`

    @pytest.mark.webots_world('../worlds/arm.wbt')
    def test_it_lifts(simulation):            # a servosim.Simulation of its own, in the world's first state
        simulation.joints['arm/shoulder'].target = 0.5
        simulation.step(100)
        assert simulation.joints['arm/shoulder'].position > 0.4

Files of worlds and specifications are tests if the command line names them, or if a pattern of the option
servosim_files in pytest's configuration matches them. The wheel of servosim installs the plugin.
"""
from __future__ import annotations

import fnmatch
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, Optional, Tuple

import pytest

if TYPE_CHECKING:
    from servosim import Simulation

__all__ = ['simulation']

_NO_CONTROLLERS = ('controllers', 'extern')  # a simulation has none
_SIMULATIONS = pytest.StashKey[Dict[str, 'Simulation']]()
_RESULT = pytest.StashKey[pytest.TestReport]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup('servosim')
    group.addoption('--servosim-program', metavar='PROGRAM', help='the program servosim (that of PATH)')
    group.addoption('--servosim-results', metavar='FOLDER', default='servosim-test',
                    help='folder for figures, traces and replays of what fails (servosim-test)')
    parser.addini('servosim_files', 'patterns of worlds (.wbt) and specifications (.toml) that are tests, '
                  'from the root folder on: worlds/*.toml', type='linelist')
    parser.addini('servosim_allow_missing', 'kinds of parts that worlds may lack, as of `servosim check '
                  '--allow-missing`', type='args')


def pytest_configure(config: pytest.Config) -> None:
    kept: Dict[str, 'Simulation'] = {}
    config.stash[_SIMULATIONS] = kept
    config.addinivalue_line('markers', 'webots_world(path): the world of the fixture simulation, from the file '
                            'of the test or the root folder on; several of them are a test each')
    config.addinivalue_line('markers', 'servosim(**keywords): further keywords of servosim.Simulation')


# ---- files that are tests

def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Optional[pytest.Collector]:
    if file_path.suffix not in ('.wbt', '.toml'):
        return None
    if not parent.session.isinitpath(file_path):
        try:
            name = file_path.relative_to(parent.config.rootpath).as_posix()
        except ValueError:
            return None
        if not any(fnmatch.fnmatch(name, pattern) for pattern in parent.config.getini('servosim_files')):
            return None
    collector: pytest.Collector = _File.from_parent(parent, path=file_path)
    return collector


class Failed(Exception):
    """What a world or a specification has failed by, as lines for people."""


class _File(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        kind = _World if self.path.suffix == '.wbt' else _Specification
        yield kind.from_parent(self, name=kind.COMMAND)


class _Item(pytest.Item):
    COMMAND = ''

    def ask(self, *options: str) -> Any:
        """The document of a command of servosim about the file."""
        program = self.config.getoption('servosim_program') or shutil.which('servosim')
        if not program:
            raise Failed('the program servosim is not on PATH; --servosim-program says where it is')
        done = subprocess.run([program, self.COMMAND, '--json', *options, '--', str(self.path)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise Failed(f'{program} {self.COMMAND} ends with {done.returncode}:\n'
                         + done.stderr.decode(errors='replace')) from None

    def reportinfo(self) -> Tuple[Path, int, str]:
        return self.path, 0, f'servosim {self.COMMAND} {self.parent.nodeid if self.parent else self.path}'

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class _World(_Item):
    """Fails if the world cannot be simulated, or lacks what may change its motion."""
    COMMAND = 'check'

    def runtest(self) -> None:
        allowed = self.config.getini('servosim_allow_missing')
        world, = self.ask(*(['--allow-missing=' + ','.join(allowed)] if allowed else []))['worlds']
        lines = ['{file}:{line}:{column}: {severity}: {message}'.format(**d) for d in world['diagnostics']
                 if d['severity'] != 'info']
        if lines:
            self.add_report_section('call', 'messages', '\n'.join(lines))
        if not world['simulated']:
            raise Failed('it cannot be simulated:\n' + '\n'.join(line for line in lines if ': error: ' in line))
        if not world['complete']:
            raise Failed('\n'.join('it lacks {subject}: {remedy}'.format(**part) for part in world['missing']
                                   if not part['accepted']))


class _Specification(_Item):
    """Fails if an expectation does not hold."""
    COMMAND = 'test'

    def runtest(self) -> None:
        results = self.config.getoption('servosim_results')
        found, = self.ask('--figures', results)['specifications']
        if found['output']:
            self.add_report_section('call', 'output of controllers', found['output'])
        if found['error']:
            place = ':'.join(str(found[key]) for key in ('file', 'line', 'column') if found.get(key) is not None)
            raise Failed(f'{place}: {found["error"]}' if place else found['error'])
        lines = []
        for expectation in found['expectations']:
            if not expectation['held']:
                lines.append('{file}:{line}: {title}: expected {expected}; came {came}'.format(**expectation))
                lines += [f'  figure: {expectation["figure"]}'] if expectation['figure'] else []
        if lines:
            lines += [f'  {key}: {found[key]}' for key in ('trace', 'replay') if found[key]]
            raise Failed('\n'.join(lines))


# ---- simulations for tests in Python

def _world_of(mark: pytest.Mark, definition: pytest.Item) -> Path:
    if len(mark.args) != 1:
        raise pytest.UsageError(f'{definition.nodeid}: webots_world takes one path, not {mark.args!r}')
    if mark.kwargs.get('args'):
        raise pytest.UsageError(f'{definition.nodeid}: webots_world: args are options of Webots, and the fixture '
                                'simulation has no Webots')
    name = Path(mark.args[0]).expanduser()
    places = [folder / name for folder in (definition.path.parent, definition.config.rootpath)]
    for place in places:
        if place.is_file():
            return place.resolve()
    raise pytest.UsageError(f'{definition.nodeid}: there is no world {name}; tried '
                            + ', '.join(map(str, places)))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if '_servosim_world' not in metafunc.fixturenames:
        return
    pairs = list(metafunc.definition.iter_markers_with_node('webots_world'))
    worlds = [_world_of(mark, metafunc.definition) for node, mark in pairs if node is pairs[0][0]]
    if not worlds:
        raise pytest.UsageError(f'{metafunc.definition.nodeid}: the fixture simulation needs '
                                '@pytest.mark.webots_world(PATH)')
    metafunc.parametrize('_servosim_world', worlds, indirect=True, ids=[world.stem for world in worlds])


def _loaded(world: Path, keywords: Mapping[str, Any], config: pytest.Config) -> 'Simulation':
    """A simulation that no test changes: each gets a clone."""
    from servosim import Simulation
    key = f'{world} {sorted(keywords.items())!r}'
    kept = config.stash[_SIMULATIONS]
    if key not in kept:
        loaded = Simulation(world, **keywords)
        accepted = (*config.getini('servosim_allow_missing'), *_NO_CONTROLLERS)
        lacking = [d for d in loaded.diagnostics if d.missing and not d.only_looks and not d.replaced
                   and d.missing.kind not in accepted]
        if lacking:
            pytest.fail('\n'.join(f'{d.file}:{d.line}:{d.column}: {d.message}' for d in lacking)
                        + '\nservosim_allow_missing of the configuration accepts it', pytrace=False)
        kept[key] = loaded
    return kept[key]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome: Any = yield
    report = outcome.get_result()
    if report.when == 'call':
        item.stash[_RESULT] = report


def _kept_replay(shown: 'Simulation', item: pytest.Item) -> str:
    """Writes the replay, and returns its path, or why there is none."""
    try:
        replay = shown.replay()
    except RuntimeError as error:  # this servosim was built without its page
        return str(error)
    folder = Path(item.config.getoption('servosim_results'))
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / (re.sub(r'[^\w.-]+', '-', item.nodeid).strip('-') + '.html')
    page.write_text(replay, encoding='utf-8')
    return str(page)


@pytest.fixture
def _servosim_world(request: pytest.FixtureRequest) -> Path:
    world: Path = request.param
    return world


@pytest.fixture
def simulation(_servosim_world: Path, request: pytest.FixtureRequest) -> Iterator['Simulation']:
    """A servosim.Simulation of the world of @pytest.mark.webots_world(PATH), which only this test uses.

    @pytest.mark.servosim(seed=3, settings={...}) gives it further keywords. Controllers do not run. A test
    that fails leaves a replay of the simulation in the folder of --servosim-results.
    """
    item = request.node
    if item.get_closest_marker('webots_controller'):
        raise pytest.UsageError(f'{item.nodeid}: webots_controller: the fixture simulation runs no controllers; '
                                '`servosim test` and the fixture webots of pytest-webots do')
    keywords: Dict[str, Any] = {}
    for mark in reversed(list(item.iter_markers('servosim'))):
        keywords.update(mark.kwargs)
    own = _loaded(_servosim_world, keywords, request.config).clone()
    with own.record():
        yield own
    if item.stash.get(_RESULT, None) is not None and item.stash[_RESULT].failed:
        item.stash[_RESULT].sections.append(('replay of servosim', _kept_replay(own, item)))

# SPDX-License-Identifier: Apache-2.0
"""`pip install ./python`: which build it takes, and its messages if something is missing.

The tree has this package's setup.py, and a program `cmake` that records its arguments.
"""
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile

import pytest

from conftest import ROOT

SUFFIX = sysconfig.get_config_var('EXT_SUFFIX')
CMAKE = f'''#!{sys.executable}
import pathlib, sys
log = pathlib.Path(__file__).with_name('log')
asked = sys.argv[1:]
with log.open('a') as out:
    print(*asked, file=out)
if '-S' in asked:
    folder = pathlib.Path(asked[asked.index('-B') + 1])
    folder.mkdir(exist_ok=True)
    (folder / 'python_needs.txt').write_text('numpy>=1.19\\n')
if '--install' in asked:
    package = pathlib.Path(asked[asked.index('--prefix') + 1], 'servosim')
    package.mkdir(exist_ok=True)
    (package / ('made_by_' + asked[asked.index('--component') + 1])).touch()
sys.exit(3 if log.with_name('fails').exists() else 0)
'''


class Tree:
    def __init__(self, folder):
        self.folder = folder
        (folder / 'python').mkdir()
        for name in ('setup.py', 'pyproject.toml'):
            shutil.copy(ROOT / 'python' / name, folder / 'python')
        for package in ('servosim', 'controller', 'pytest_servosim'):
            (folder / 'python' / package).mkdir()
            (folder / 'python' / package / '__init__.py').touch()
        (folder / 'CMakeLists.txt').write_text('project(servosim VERSION 3.14.15 LANGUAGES C CXX)\n')
        (folder / 'bin').mkdir()
        (folder / 'bin/cmake').write_text(CMAKE)
        (folder / 'bin/cmake').chmod(0o755)

    def build(self, name):
        """Makes a folder like a build for this Python."""
        module = self.folder / name / f'lib/controller/python/servosim/_servosim{SUFFIX}'
        module.parent.mkdir(parents=True)
        module.touch()
        (self.folder / name / 'python_needs.txt').write_text('numpy>=1.19\n')
        return self.folder / name

    def run(self, *arguments, path='{bin}:/usr/bin:/bin', **variables):
        """Returns the exit status of this Python, its output, and the arguments that cmake got."""
        environment = {**os.environ, 'PATH': path.format(bin=self.folder / 'bin'), 'HOME': str(self.folder),
                       'PIP_NO_CACHE_DIR': '1'}
        environment.pop('SERVOSIM_BUILD_DIR', None)
        done = subprocess.run([sys.executable, *arguments], cwd=self.folder, env={**environment, **variables},
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        log = self.folder / 'bin/log'
        return done.returncode, done.stdout, log.read_text().splitlines() if log.exists() else []

    def pip(self, **variables):
        return self.run('-m', 'pip', 'wheel', '--no-index', '--no-deps', '--no-build-isolation',
                        '--disable-pip-version-check', '-w', 'wheels', './python', **variables)

    def wheel(self):
        path, = self.folder.glob('wheels/servosim-3.14.15-*.whl')
        return zipfile.ZipFile(path).namelist()


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def test_the_build_that_is_there_is_taken(tree):
    build = tree.build('build')
    status, output, asked = tree.pip()
    assert status == 0, output
    assert f'--build {build} --parallel --target servosim_python_package' in asked
    assert not any('-S' in line.split() for line in asked)
    assert {'servosim/made_by_wheel', f'servosim/made_by_wheel{SUFFIX}'} <= set(tree.wheel())
    assert 'servosim-3.14.15.dist-info/entry_points.txt' in tree.wheel()  # of the plugin of pytest


def test_a_build_that_is_given_is_taken_as_it_is(tree):
    tree.build('build')
    given = tree.build('elsewhere')
    status, output, asked = tree.pip(SERVOSIM_BUILD_DIR=str(given))
    assert status == 0, output
    assert asked and all(line.startswith(f'--install {given} ') for line in asked)


def test_without_a_build_for_this_python_there_is_a_new_one(tree):
    (tree.folder / 'build').mkdir()
    status, output, asked = tree.pip()
    assert status == 0, output
    new, = tree.folder.glob('build-python-*')
    configured = [line for line in asked if line.startswith(f'-S {tree.folder} -B {new} ')]
    assert configured and '-DSERVOSIM_BUILD_PYTHON=ON' in configured[0]
    assert f'-DPython3_EXECUTABLE={sys.executable}' in configured[0]
    assert f'--build {new} --parallel --target servosim_python_package' in asked


def test_what_is_missing_is_said_in_words(tree):
    def said(**of):
        status, output, _ = tree.run('python/setup.py', 'egg_info', **of)
        assert status == 1
        return output

    assert said(SERVOSIM_BUILD_DIR='/nowhere').startswith(
        'SERVOSIM_BUILD_DIR=/nowhere has no module servosim for ')
    (tree.folder / 'bin/fails').touch()
    assert said() == ('servosim: cmake -S failed; its messages are above. scripts/run installs what a build '
                      'needs on Debian 12\n')
    assert said(path='/nowhere') == ('servosim: there is no cmake: scripts/run installs what a build needs '
                                     'on Debian 12\n')


def test_pip_shows_what_is_missing(tree):
    status, output, _ = tree.pip(path='/nowhere')
    assert status == 1 and 'servosim: there is no cmake: scripts/run installs' in output


def test_a_python_without_the_package_wheel_is_told_so(tree):
    tree.build('build')
    code = ('import importlib.util, runpy, sys\n'
            'find = importlib.util.find_spec\n'
            'importlib.util.find_spec = lambda name, *of: (\n'
            '    None if name in ("wheel", "setuptools.command.bdist_wheel") else find(name, *of))\n'
            'sys.argv = ["setup.py", "bdist_wheel"]\n'
            'runpy.run_path("python/setup.py", run_name="__main__")\n')
    status, output, asked = tree.run('-c', code)
    assert status == 1 and asked == []
    assert output == ('servosim: there is no package wheel for this Python: pip install wheel, or leave out '
                      '--no-build-isolation\n')

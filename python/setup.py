# SPDX-License-Identifier: Apache-2.0
"""The wheel: the packages `servosim` and `controller` with the libraries that they need, and the plugin of
pytest `pytest_servosim`.

    pip install --no-index --no-build-isolation ./python

The command uses build/ of the repository if that has a module for the Python that runs it.
Otherwise it builds servosim with CMake in build-python-TAG/. With SERVOSIM_BUILD_DIR it uses that
build as it is, which must be one for the same Python.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SUFFIX = sysconfig.get_config_var('EXT_SUFFIX')
GIVEN = os.environ.get('SERVOSIM_BUILD_DIR')


def version():
    text = (ROOT / 'CMakeLists.txt').read_text()
    return re.search(r'project\(servosim VERSION (\S+)', text).group(1)


def has_module(folder):
    return (folder / f'lib/controller/python/servosim/_servosim{SUFFIX}').exists()


def cmake(*arguments):
    """Runs CMake, whose messages say why it fails."""
    if shutil.which('cmake') is None:
        sys.exit('servosim: there is no cmake: scripts/run installs what a build needs on Debian 12')
    if subprocess.run(['cmake', *arguments]).returncode != 0:
        sys.exit(f'servosim: cmake {arguments[0]} failed; its messages are above. scripts/run installs what '
                 'a build needs on Debian 12')


def configured():
    """The build folder for this Python. One that is given has the module already."""
    if GIVEN:
        folder = Path(GIVEN)
        if not has_module(folder):
            sys.exit(f'SERVOSIM_BUILD_DIR={GIVEN} has no module servosim for {sys.executable}: build '
                     f'it with -DPython3_EXECUTABLE={sys.executable}')
        return folder
    if has_module(ROOT / 'build'):
        return ROOT / 'build'
    folder = ROOT / f'build-python-{sysconfig.get_config_var("SOABI")}'
    generator = ['-G', 'Ninja'] if shutil.which('ninja') else []
    off = [f'-DSERVOSIM_{name}=OFF' for name in ('BUILD_TESTS', 'BUILD_EXAMPLES', 'BUILD_BENCHMARKS')]
    cmake('-S', ROOT, '-B', folder, *generator, *off, '-DSERVOSIM_BUILD_PYTHON=ON',
          f'-DPython3_EXECUTABLE={sys.executable}')
    return folder


if 'bdist_wheel' in sys.argv and not any(
        map(importlib.util.find_spec, ('wheel', 'setuptools.command.bdist_wheel'))):
    sys.exit('servosim: there is no package wheel for this Python: pip install wheel, or leave out '
             '--no-build-isolation')
FOLDER = configured()


class Build(build_py):
    """Copies what CMake installs for a wheel."""

    def run(self):
        Path(self.build_lib).mkdir(parents=True, exist_ok=True)
        if not GIVEN:
            cmake('--build', FOLDER, '--parallel', '--target', 'servosim_python_package')
        for component in ('wheel', f'wheel{SUFFIX}'):
            cmake('--install', FOLDER, '--component', component, '--strip', '--prefix',
                  Path(self.build_lib).resolve())


class ForThisPython(Distribution):
    def has_ext_modules(self):
        return True


# setuptools leaves nothing next to the sources.
with tempfile.TemporaryDirectory(prefix='servosim-wheel-') as scratch:
    setup(
        name='servosim',
        version=version(),
        description='Runs Webots worlds and controllers headless, at the joint level',
        license='Apache-2.0',
        python_requires='>=3.8',
        install_requires=(FOLDER / 'python_needs.txt').read_text().split(),
        packages=['servosim', 'controller', 'pytest_servosim'],
        entry_points={'pytest11': ['servosim = pytest_servosim']},
        cmdclass={'build_py': Build},
        distclass=ForThisPython,
        options={'build': {'build_base': scratch}, 'egg_info': {'egg_base': scratch}},
    )

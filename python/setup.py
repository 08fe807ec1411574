# SPDX-License-Identifier: Apache-2.0
"""The wheel: the packages `servosim` and `controller` with the libraries that they need of ours.

    pip install --no-index --no-build-isolation ./python

builds servosim with CMake in build-python-TAG/ of the repository, for the Python that runs this. With
SERVOSIM_BUILD_DIR, the build there is taken as it is: one for the same Python.
"""
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


def version():
    text = (ROOT / 'CMakeLists.txt').read_text()
    return re.search(r'project\(servosim VERSION (\S+)', text).group(1)


def configured():
    """A build folder for this Python; one that is given has the module already."""
    given = os.environ.get('SERVOSIM_BUILD_DIR')
    if given:
        folder = Path(given)
        if not list(folder.glob(f'lib/controller/python/servosim/_servosim{SUFFIX}')):
            sys.exit(f'SERVOSIM_BUILD_DIR={given} has no module servosim for {sys.executable}: build '
                     f'it with -DPython3_EXECUTABLE={sys.executable}')
        return folder
    folder = ROOT / f'build-python-{sysconfig.get_config_var("SOABI")}'
    generator = ['-G', 'Ninja'] if shutil.which('ninja') else []
    off = [f'-DSERVOSIM_{name}=OFF' for name in ('BUILD_TESTS', 'BUILD_EXAMPLES', 'BUILD_BENCHMARKS')]
    subprocess.run(['cmake', '-S', ROOT, '-B', folder, *generator, *off, '-DSERVOSIM_BUILD_PYTHON=ON',
                    f'-DPython3_EXECUTABLE={sys.executable}'], check=True)
    return folder


FOLDER = configured()


class Build(build_py):
    """Takes what CMake installs for a wheel."""

    def run(self):
        Path(self.build_lib).mkdir(parents=True, exist_ok=True)
        if 'SERVOSIM_BUILD_DIR' not in os.environ:
            subprocess.run(['cmake', '--build', FOLDER, '--parallel', '--target',
                            'servosim_python_package'], check=True)
        for component in ('wheel', f'wheel{SUFFIX}'):
            subprocess.run(['cmake', '--install', FOLDER, '--component', component, '--strip',
                            '--prefix', Path(self.build_lib).resolve()], check=True)


class ForThisPython(Distribution):
    def has_ext_modules(self):
        return True


# Nothing of setuptools stays beside the sources.
with tempfile.TemporaryDirectory(prefix='servosim-wheel-') as scratch:
    setup(
        name='servosim',
        version=version(),
        description='Runs Webots worlds and controllers headless, at the joint level',
        license='Apache-2.0',
        python_requires='>=3.8',
        install_requires=(FOLDER / 'python_needs.txt').read_text().split(),
        packages=['servosim', 'controller'],
        cmdclass={'build_py': Build},
        distclass=ForThisPython,
        options={'build': {'build_base': scratch}, 'egg_info': {'egg_base': scratch}},
    )

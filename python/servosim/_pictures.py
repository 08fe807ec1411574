# SPDX-License-Identifier: Apache-2.0
"""Pictures of a batch by their names."""
from __future__ import annotations

from typing import Any, Dict

from numpy.typing import NDArray

from ._errors import unknown_name


class Pictures(Dict[str, NDArray[Any]]):
    """Arrays of pictures by names such as 'robot/camera.rgb'. The part behind the '/' finds one, too,
    where no other picture has it.
    """

    def __missing__(self, name: str) -> NDArray[Any]:
        found = [key for key in self if isinstance(name, str) and key.split('/', 1)[-1] == name]
        if len(found) == 1:
            return self[found[0]]
        what = f'several pictures are called {name!r}' if found else f'no picture is called {name!r}'
        raise unknown_name(what, str(name), list(self))

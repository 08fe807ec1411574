# SPDX-License-Identifier: Apache-2.0
"""Gymnasium environments of worlds: one instance (JointEnv) or many in one process (JointVectorEnv).

Lists of names, as `Batch.bind()` takes them, and functions over arrays say what is observed,
commanded and rewarded. The import of this module registers the tasks of servosim.tasks:

    import gymnasium, servosim.gym
    env = gymnasium.make('servosim/CartPole-v0')
    envs = gymnasium.make_vec('servosim/CartPole-v0', num_envs=64, threads=2)

The package `gymnasium` is needed.
"""
from __future__ import annotations

from dataclasses import fields
from os import PathLike
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
except ImportError as error:
    raise ImportError('servosim.gym needs the package gymnasium (pip install gymnasium); '
                      'servosim.Batch needs only numpy') from error

from servosim import Batch, Recording, Replay, Simulation
from servosim.picture import Picture
from servosim.tasks import (TASKS, Begin, End, Episodes, Features, Observations, Observed, Ranges,
                            Reward, Task, by_parts)

__all__ = ['JointEnv', 'JointVectorEnv', 'AutoresetMode']

_MAX_SEED = 2**31


def _seeds_of(numbers: Iterable[int]) -> NDArray[np.int64]:
    try:
        return np.array(list(numbers), dtype=np.int64)
    except OverflowError:
        raise ValueError('a seed is a whole number from 0 to 2**63 - 1') from None


def _space_of(part: NDArray[Any]) -> gymnasium.spaces.Space[Any]:
    """The space of a row of an array of observations."""
    # Noise may make a distance negative.
    low, high = (0, 255) if part.dtype == np.uint8 else (-np.inf, np.inf)
    return gymnasium.spaces.Box(low, high, part.shape[1:], dtype=part.dtype)


def _named(observed: Observed) -> Observed:
    """Observations with the keys of a Dict space. They have no dots, since learners such as
    Stable-Baselines3 make names of modules of PyTorch from them.
    """
    if not isinstance(observed, dict):
        return observed
    named: Dict[str, Any] = {}
    for name, part in observed.items():
        key = name.replace('.', '_')
        while key in named:
            key += '_'
        named[key] = part
    return named


def _put(rows: NDArray[np.bool_], into: Observed, given: Observed) -> None:
    """Replaces those rows of observations."""
    def put(part: NDArray[Any], other: NDArray[Any]) -> None:
        part[rows] = other[rows]
    by_parts(put, into, given)


def _row(observed: Observed, i: int) -> Any:
    return by_parts(lambda part: part[i], observed)


class _World(Episodes):
    """What both kinds of environments share: episodes with spaces and pictures."""

    def __init__(self, task: Task, count: int, dtype: Any, threads: int, render_mode: Optional[str],
                 picture_size: Tuple[int, int]) -> None:
        if render_mode not in (None, 'rgb_array'):
            raise ValueError(f"render_mode is 'rgb_array' or None, not {render_mode!r}")
        super().__init__(task, count, dtype=dtype, threads=threads)
        self.picture = (None if render_mode is None
                        else Picture(self._fresh.scene(), *picture_size))
        self.metadata = {'render_modes': ['rgb_array'],
                         'render_fps': 1000.0 / self.batch.control_step_ms}
        self.action_space = gymnasium.spaces.Box(self.action_low, self.action_high, dtype=dtype)
        spaces = by_parts(_space_of, _named(self.observations()))
        self.observation_space: gymnasium.spaces.Space[Any] = (
            gymnasium.spaces.Dict(spaces) if isinstance(spaces, dict) else spaces)

    def draw(self, instance: int) -> NDArray[np.uint8]:
        if self.picture is None:
            raise ValueError("pictures need render_mode='rgb_array' when the environment is made")
        return self.picture.draw(self.batch.solid_poses(instance))


class JointEnv(gymnasium.Env[Observed, Observations]):
    """One instance of a world as a Gymnasium environment.

    world to randomize, settings, features: the same as in servosim.tasks.Task; arrays of observations
    and actions have one row.
    The observation space is a Box of the numbers, or of the features. With pictures it is a Dict: 'observations' has the
    numbers, if there are any, and the name of each picture, with '_' for '.', a Box, of uint8 for
    colours and float32 for distances. `reward` and `terminated` get the names themselves. A single
    picture without numbers is such a Box alone.
    render_mode: 'rgb_array', or None for no pictures; picture_size: their width and height.
    """

    metadata = {'render_modes': ['rgb_array']}

    def __init__(self, world: Union[str, PathLike[str]], observe: Sequence[str],
                 act: Sequence[str], reward: Reward, terminated: Optional[End] = None, *,
                 begin: Optional[Begin] = None, max_episode_steps: Optional[int] = None,
                 control_step_ms: float = 0.0,
                 action_range: Optional[Tuple[ArrayLike, ArrayLike]] = None,
                 randomize: Optional[Ranges] = None, dtype: Any = np.float32,
                 render_mode: Optional[str] = None,
                 picture_size: Tuple[int, int] = (480, 360),
                 settings: Optional[Mapping[str, Any]] = None,
                 features: Optional[Features] = None) -> None:
        task = Task(world, observe, act, reward, terminated, begin, max_episode_steps,
                    control_step_ms, action_range, randomize, settings=settings, features=features)
        self._world = _World(task, 1, dtype, 1, render_mode, picture_size)
        self.metadata = self._world.metadata
        self.render_mode = render_mode
        self.observation_space = self._world.observation_space
        self.action_space = self._world.action_space
        self._seeded = False

    @property
    def batch(self) -> Batch:
        """The batch of one instance that simulates it, for its names, parameters and states."""
        return self._world.batch

    def record(self, path: Union[None, str, PathLike[str]] = None, *,
               rate: float = 25.0) -> Recording:
        """Records it from now on, episode after episode, as Simulation.record() does."""
        return self._world.record(path, rate=rate)

    def replay(self) -> Replay:
        """The page that shows the last recording, for a browser and in a notebook."""
        return self._world.replay()

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Observed, Dict[str, Any]]:
        super().reset(seed=seed)
        seeds = None
        if seed is not None or not self._seeded:
            drawn = seed if seed is not None else int(self.np_random.integers(_MAX_SEED))
            seeds = _seeds_of([drawn])
            self._seeded = True
        return _named(_row(self._world.reset(seeds=seeds), 0)), {}

    def step(self, action: Observations) -> Tuple[Observed, float, bool, bool, Dict[str, Any]]:
        observed, rewards, ended, cut = self._world.step(np.asarray(action)[None])
        info = {'failure': self.batch.failure(0)} if self.batch.failed[0] else {}
        return _named(_row(observed, 0)), float(rewards[0]), bool(ended[0]), bool(cut[0]), info

    def render(self) -> Any:
        return None if self.render_mode is None else self._world.draw(0)


class JointVectorEnv(VectorEnv[Observed, Observations, NDArray[Any]]):
    """Many instances of a world in one process, on several threads.

    The arguments are those of JointEnv, with rewards and ends of shape (num_envs,).
    autoreset_mode: the modes of Gymnasium. NEXT_STEP: the step after the end of an episode is its
    reset. SAME_STEP: an ended instance is reset at once; `final_obs` and `final_info` of the infos
    have its end. DISABLED: the program resets it by reset(options={'reset_mask': ...}).

    Instance i has the seed `seed + i` of reset(seed=...), whatever the number of instances.
    """

    def __init__(self, world: Union[str, PathLike[str]], num_envs: int, observe: Sequence[str],
                 act: Sequence[str], reward: Reward, terminated: Optional[End] = None, *,
                 begin: Optional[Begin] = None, max_episode_steps: Optional[int] = None,
                 control_step_ms: float = 0.0,
                 action_range: Optional[Tuple[ArrayLike, ArrayLike]] = None,
                 randomize: Optional[Ranges] = None, dtype: Any = np.float32, threads: int = 1,
                 autoreset_mode: Union[str, AutoresetMode] = AutoresetMode.NEXT_STEP,
                 render_mode: Optional[str] = None,
                 picture_size: Tuple[int, int] = (480, 360),
                 settings: Optional[Mapping[str, Any]] = None,
                 features: Optional[Features] = None) -> None:
        task = Task(world, observe, act, reward, terminated, begin, max_episode_steps,
                    control_step_ms, action_range, randomize, settings=settings, features=features)
        self._world = _World(task, num_envs, dtype, threads, render_mode, picture_size)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self._world.metadata, 'autoreset_mode': self.autoreset_mode}
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.single_observation_space = self._world.observation_space
        self.single_action_space = self._world.action_space
        self.observation_space = gymnasium.vector.utils.batch_space(
            self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._seeded = False
        self._over: NDArray[np.bool_] = np.zeros(num_envs, dtype=np.bool_)

    @property
    def batch(self) -> Batch:
        """The batch that simulates it, for its names, parameters and states."""
        return self._world.batch

    def record(self, path: Union[None, str, PathLike[str]] = None, instance: int = 0, *,
               rate: float = 25.0) -> Recording:
        """Records an instance from now on, episode after episode, as Simulation.record() does."""
        return self._world.record(path, instance, rate=rate)

    def replay(self) -> Replay:
        """The page that shows the last recording, for a browser and in a notebook."""
        return self._world.replay()

    def reset(self, *, seed: Union[None, int, Sequence[Optional[int]]] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Observed, Dict[str, Any]]:
        super().reset(seed=seed if isinstance(seed, int) else None)
        seeds = self._seeds(seed)
        mask = self._mask(options)
        self._over[slice(None) if mask is None else mask] = False
        return _named(self._world.reset(mask, seeds)), {}

    def _seeds(self, seed: Union[None, int, Sequence[Optional[int]]]) -> Optional[NDArray[np.int64]]:
        if seed is None and self._seeded:
            return None
        self._seeded = True
        drawn = self.np_random.integers(_MAX_SEED, size=self.num_envs)
        if seed is None:
            return drawn
        if isinstance(seed, int):
            seed = range(seed, seed + self.num_envs)
        if len(seed) != self.num_envs:
            raise ValueError(f'{len(seed)} seeds are given for {self.num_envs} instances')
        return _seeds_of(own if own is not None else drawn[i] for i, own in enumerate(seed))

    def _mask(self, options: Optional[Dict[str, Any]]) -> Optional[NDArray[np.bool_]]:
        mask = (options or {}).get('reset_mask')
        if mask is None:
            return None
        rows = np.asarray(mask)
        if rows.shape != (self.num_envs,) or rows.dtype != np.bool_ or not rows.any():
            raise ValueError(f"options['reset_mask'] is an array of {self.num_envs} bool, at least "
                             'one of them True')
        return rows

    def step(self, actions: Observations) -> Tuple[Observed, NDArray[Any], NDArray[Any],
                                                   NDArray[Any], Dict[str, Any]]:
        begins = self._over
        if self.autoreset_mode is AutoresetMode.DISABLED and begins.any():
            raise ValueError(f'instances {np.flatnonzero(begins)[:8].tolist()} have come to their '
                             "end: reset(options={'reset_mask': ...}) before the next step")
        observed, rewards, ended, cut = self._world.step(actions)
        infos = self._failures(ended & ~begins)
        if begins.any():  # some are with NEXT_STEP
            _put(begins, observed, self._world.reset(begins))
            rewards[begins] = 0.0
            ended[begins] = False
            cut[begins] = False
        over = ended | cut
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            if over.any():
                infos = self._final(observed, over, infos)
                _put(over, observed, self._world.reset(over))
        else:
            self._over = over
        return _named(observed), rewards, ended, cut, infos

    def _failures(self, rows: NDArray[np.bool_]) -> Dict[str, Any]:
        infos: Dict[str, Any] = {}
        for i in np.flatnonzero(rows & np.asarray(self.batch.failed, dtype=np.bool_)):
            infos = self._add_info(infos, {'failure': self.batch.failure(int(i))}, int(i))
        return infos

    def _final(self, observed: Observed, over: NDArray[np.bool_],
               infos: Dict[str, Any]) -> Dict[str, Any]:
        final = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(over):
            final[i] = by_parts(np.copy, _named(_row(observed, int(i))))
        return {'final_obs': final, '_final_obs': over.copy(),
                'final_info': infos, '_final_info': over.copy()}

    def render(self) -> Optional[Tuple[NDArray[np.uint8], ...]]:
        if self.render_mode is None:
            return None
        return tuple(self._world.draw(i) for i in range(self.num_envs))


def make_task(task: str, **changes: Any) -> JointEnv:
    """The environment of a name in servosim.tasks.TASKS, with other arguments: gymnasium.make()."""
    return JointEnv(**{**_arguments(task), **changes})


def make_task_vector(task: str, **changes: Any) -> JointVectorEnv:
    """The vector environment of a name in servosim.tasks.TASKS, for gymnasium.make_vec()."""
    return JointVectorEnv(**{**_arguments(task), **changes})


def _arguments(task: str) -> Dict[str, Any]:
    """The arguments that a task gives to an environment. Gymnasium limits the steps of an episode
    itself.
    """
    given = {field.name: getattr(TASKS[task], field.name) for field in fields(Task)}
    return {name: value for name, value in given.items()
            if name not in ('max_episode_steps', 'reward_threshold')}


for _name, _task in TASKS.items():
    gymnasium.register(
        id=f'servosim/{_name}', entry_point='servosim.gym:make_task',
        vector_entry_point='servosim.gym:make_task_vector', kwargs={'task': _name},
        max_episode_steps=_task.max_episode_steps, reward_threshold=_task.reward_threshold)

# SPDX-License-Identifier: Apache-2.0
"""Gymnasium environments of worlds: one instance (JointEnv) or many in one process (JointVectorEnv).

What is observed, commanded and rewarded is given by lists of names, as `Batch.bind()` takes them,
and by functions over arrays. Needs the package `gymnasium`.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
except ImportError as error:
    raise ImportError('servosim.gym needs the package gymnasium (pip install gymnasium); '
                      'servosim.Batch needs only numpy') from error

from servosim import Batch, Simulation
from servosim.picture import Picture

__all__ = ['JointEnv', 'JointVectorEnv', 'AutoresetMode']

Observations = NDArray[Any]
Reward = Callable[[Observations, Observations], ArrayLike]
End = Callable[[Observations], ArrayLike]
Ranges = Mapping[str, Tuple[float, float]]

_MAX_SEED = 2**31


class _World:
    """A batch with spaces, rewards and episodes: what both kinds of environments share."""

    def __init__(self, world: str, count: int, observe: Sequence[str], act: Sequence[str],
                 reward: Reward, terminated: Optional[End], max_episode_steps: Optional[int],
                 control_step_ms: float, action_range: Optional[Tuple[ArrayLike, ArrayLike]],
                 randomize: Optional[Ranges], dtype: Any, threads: int,
                 render_mode: Optional[str], picture_size: Tuple[int, int]) -> None:
        if render_mode not in (None, 'rgb_array'):
            raise ValueError(f"render_mode is 'rgb_array' or None, not {render_mode!r}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f'max_episode_steps is at least 1, not {max_episode_steps}')
        self.batch = Batch(world, count, threads=threads, control_step_ms=control_step_ms,
                           dtype=dtype)
        self.batch.bind(observe=list(observe), act=list(act))
        self.picture = (None if render_mode is None
                        else Picture(Simulation(world).scene(), *picture_size))
        if randomize:
            self.batch.randomize(dict(randomize))
        self._reward = reward
        self._terminated = terminated
        self._max_steps = max_episode_steps
        self.steps = np.zeros(count, dtype=np.int64)  # of each episode
        low, high = self.batch.action_low, self.batch.action_high
        if action_range is not None:
            low, high = np.maximum(low, action_range[0]), np.minimum(high, action_range[1])
        self.action_space = gymnasium.spaces.Box(
            np.asarray(low, dtype=dtype), np.asarray(high, dtype=dtype), dtype=dtype)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(self.batch.observation_names),), dtype=dtype)

    def observations(self) -> Observations:
        """A copy of what is observed now, (instances, columns)."""
        return self.batch.observations.copy()

    def reset(self, mask: Optional[NDArray[np.bool_]],
              seeds: Optional[NDArray[np.int64]]) -> None:
        self.batch.reset(mask, seeds=seeds)
        self.steps[slice(None) if mask is None else mask] = 0

    def step(self, actions: ArrayLike) -> Tuple[Observations, NDArray[np.float64],
                                                NDArray[np.bool_], NDArray[np.bool_]]:
        """Observations, rewards, terminations and truncations; an instance that fails terminates."""
        given = np.asarray(actions)
        if given.shape != self.batch.actions.shape:
            raise ValueError(f'actions have the shape {given.shape}, not '
                             f'{self.batch.actions.shape}: one row for each instance, with '
                             f'{", ".join(self.batch.action_names)}')
        self.batch.actions[:] = given
        self.batch.step()
        self.steps += 1
        observed = self.observations()
        count = len(self.steps)
        rewards = self._rows(self._reward(observed, given), count, 'reward', np.float64)
        ended = np.array(self.batch.failed, dtype=np.bool_)
        if self._terminated is not None:
            ended |= self._rows(self._terminated(observed), count, 'terminated', np.bool_)
        cut = np.zeros(count, dtype=np.bool_)
        if self._max_steps is not None:
            cut = (self.steps >= self._max_steps) & ~ended
        return observed, rewards, ended, cut

    @staticmethod
    def _rows(values: ArrayLike, count: int, what: str, dtype: Any) -> NDArray[Any]:
        rows = np.asarray(values, dtype=dtype)
        if rows.shape != (count,):
            raise ValueError(f'{what} returned the shape {rows.shape}, not ({count},): one number '
                             'for each row of the observations')
        return rows

    def draw(self, instance: int) -> NDArray[np.uint8]:
        if self.picture is None:
            raise ValueError("pictures need render_mode='rgb_array' when the environment is made")
        return self.picture.draw(self.batch.solid_poses(instance))


class JointEnv(gymnasium.Env[Observations, Observations]):
    """One instance of a world as a Gymnasium environment.

    world: a .wbt file.
    observe, act: names and patterns, as Batch.bind() takes them.
    reward(observations, actions) -> (1,): of observations (1, columns) after the step.
    terminated(observations) -> (1,) of bool: whether the episode has come to its end.
    max_episode_steps: after which an episode is cut off (truncated).
    control_step_ms: what a step is, a multiple of basicTimeStep; 0: that.
    action_range: (lowest, highest) of actions, within what the motors accept.
    randomize: ranges that are drawn anew in each episode, as Batch.randomize() takes them.
    """

    metadata = {'render_modes': ['rgb_array'], 'render_fps': 25}

    def __init__(self, world: str, observe: Sequence[str], act: Sequence[str], reward: Reward,
                 terminated: Optional[End] = None, *, max_episode_steps: Optional[int] = None,
                 control_step_ms: float = 0.0,
                 action_range: Optional[Tuple[ArrayLike, ArrayLike]] = None,
                 randomize: Optional[Ranges] = None, dtype: Any = np.float32,
                 render_mode: Optional[str] = None,
                 picture_size: Tuple[int, int] = (480, 360)) -> None:
        self._world = _World(world, 1, observe, act, reward, terminated, max_episode_steps,
                             control_step_ms, action_range, randomize, dtype, 1, render_mode,
                             picture_size)
        self.render_mode = render_mode
        self.observation_space = self._world.observation_space
        self.action_space = self._world.action_space
        self._seeded = False

    @property
    def batch(self) -> Batch:
        """The batch of one instance behind it, for its names, parameters and states."""
        return self._world.batch

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Observations, Dict[str, Any]]:
        super().reset(seed=seed)
        seeds = None
        if seed is not None or not self._seeded:
            drawn = seed if seed is not None else int(self.np_random.integers(_MAX_SEED))
            seeds = np.array([drawn], dtype=np.int64)
            self._seeded = True
        self._world.reset(None, seeds)
        return self._world.observations()[0], {}

    def step(self, action: Observations) -> Tuple[Observations, float, bool, bool, Dict[str, Any]]:
        observed, rewards, ended, cut = self._world.step(np.asarray(action)[None])
        info = {'failure': self.batch.failure(0)} if self.batch.failed[0] else {}
        return observed[0], float(rewards[0]), bool(ended[0]), bool(cut[0]), info

    def render(self) -> Any:
        return None if self.render_mode is None else self._world.draw(0)


class JointVectorEnv(VectorEnv[Observations, Observations, NDArray[Any]]):
    """Many instances of a world in one process, on several threads.

    Arguments as JointEnv has them, with rewards and ends of shape (num_envs,).
    autoreset_mode: as Gymnasium defines it. NEXT_STEP: the step after the end of an episode is its
    reset. SAME_STEP: an ended instance is reset at once; `final_obs` and `final_info` of the infos
    have its end. DISABLED: reset(options={'reset_mask': ...}) does it.

    Instance i has the seed `seed + i` of reset(seed=...), also among more of them.
    """

    def __init__(self, world: str, num_envs: int, observe: Sequence[str], act: Sequence[str],
                 reward: Reward, terminated: Optional[End] = None, *,
                 max_episode_steps: Optional[int] = None, control_step_ms: float = 0.0,
                 action_range: Optional[Tuple[ArrayLike, ArrayLike]] = None,
                 randomize: Optional[Ranges] = None, dtype: Any = np.float32, threads: int = 1,
                 autoreset_mode: Union[str, AutoresetMode] = AutoresetMode.NEXT_STEP,
                 render_mode: Optional[str] = None,
                 picture_size: Tuple[int, int] = (480, 360)) -> None:
        self._world = _World(world, num_envs, observe, act, reward, terminated, max_episode_steps,
                             control_step_ms, action_range, randomize, dtype, threads, render_mode,
                             picture_size)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {'render_modes': ['rgb_array'], 'render_fps': 25,
                         'autoreset_mode': self.autoreset_mode}
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
        """The batch behind it, for its names, parameters and states."""
        return self._world.batch

    def reset(self, *, seed: Union[None, int, Sequence[Optional[int]]] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Observations, Dict[str, Any]]:
        super().reset(seed=seed if isinstance(seed, int) else None)
        seeds = self._seeds(seed)
        mask = self._mask(options)
        self._world.reset(mask, seeds)
        self._over[slice(None) if mask is None else mask] = False
        return self._world.observations(), {}

    def _seeds(self, seed: Union[None, int, Sequence[Optional[int]]]) -> Optional[NDArray[np.int64]]:
        if seed is None and self._seeded:
            return None
        self._seeded = True
        drawn = self.np_random.integers(_MAX_SEED, size=self.num_envs)
        if seed is None:
            return drawn
        if isinstance(seed, int):
            return seed + np.arange(self.num_envs, dtype=np.int64)
        if len(seed) != self.num_envs:
            raise ValueError(f'{len(seed)} seeds are given for {self.num_envs} instances')
        return np.array([own if own is not None else drawn[i] for i, own in enumerate(seed)],
                        dtype=np.int64)

    def _mask(self, options: Optional[Dict[str, Any]]) -> Optional[NDArray[np.bool_]]:
        mask = (options or {}).get('reset_mask')
        if mask is None:
            return None
        rows = np.asarray(mask)
        if rows.shape != (self.num_envs,) or rows.dtype != np.bool_ or not rows.any():
            raise ValueError(f"options['reset_mask'] is an array of {self.num_envs} bool, at least "
                             'one of them True')
        return rows

    def step(self, actions: Observations) -> Tuple[Observations, NDArray[Any], NDArray[Any],
                                                   NDArray[Any], Dict[str, Any]]:
        begins = self._over
        if self.autoreset_mode is AutoresetMode.DISABLED and begins.any():
            raise ValueError(f'instances {np.flatnonzero(begins)[:8].tolist()} have come to their '
                             "end: reset(options={'reset_mask': ...}) before the next step")
        observed, rewards, ended, cut = self._world.step(actions)
        infos = self._failures(ended & ~begins)
        if begins.any():  # of NEXT_STEP
            self._world.reset(begins, None)
            observed[begins] = self._world.observations()[begins]
            rewards[begins] = 0.0
            ended[begins] = False
            cut[begins] = False
        over = ended | cut
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            if over.any():
                infos = self._final(observed, over, infos)
                self._world.reset(over, None)
                observed[over] = self._world.observations()[over]
        else:
            self._over = over
        return observed, rewards, ended, cut, infos

    def _failures(self, rows: NDArray[np.bool_]) -> Dict[str, Any]:
        infos: Dict[str, Any] = {}
        for i in np.flatnonzero(rows & np.asarray(self.batch.failed, dtype=np.bool_)):
            infos = self._add_info(infos, {'failure': self.batch.failure(int(i))}, int(i))
        return infos

    def _final(self, observed: Observations, over: NDArray[np.bool_],
               infos: Dict[str, Any]) -> Dict[str, Any]:
        final = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(over):
            final[i] = observed[i].copy()
        return {'final_obs': final, '_final_obs': over.copy(),
                'final_info': infos, '_final_info': over.copy()}

    def render(self) -> Optional[Tuple[NDArray[np.uint8], ...]]:  # type: ignore[override]
        if self.render_mode is None:
            return None
        return tuple(self._world.draw(i) for i in range(self.num_envs))

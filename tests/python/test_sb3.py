# SPDX-License-Identifier: Apache-2.0
"""servosim.sb3: what Stable-Baselines3 expects of a VecEnv.

The file of that package with the class VecEnv needs no PyTorch, and is loaded without the rest. Where PyTorch
is (scripts/test --long) the package is imported as users do, and PPO learns.
"""
import importlib.util
import pathlib
import sys
import types

import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium')
import servosim.gym  # noqa: E402

SB3 = importlib.util.find_spec('stable_baselines3')
if SB3 is None:
    pytest.skip('could not import stable_baselines3', allow_module_level=True)
HAS_TORCH = importlib.util.find_spec('torch') is not None


@pytest.fixture
def VecEnv(monkeypatch):
    if not HAS_TORCH:
        file = pathlib.Path(SB3.submodule_search_locations[0], 'common/vec_env/base_vec_env.py')
        spec = importlib.util.spec_from_file_location('stable_baselines3.common.vec_env', file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name in ('stable_baselines3', 'stable_baselines3.common'):
            monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        monkeypatch.setitem(sys.modules, 'stable_baselines3.common.vec_env', module)
        monkeypatch.delitem(sys.modules, 'servosim.sb3', raising=False)
    from servosim.sb3 import VecEnv
    yield VecEnv
    if not HAS_TORCH:
        del sys.modules['servosim.sb3']


def vector(n=5, mode='SameStep', **changes):
    return servosim.gym.make_task_vector('CartPole-v0', num_envs=n, autoreset_mode=mode, **changes)


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'stable_baselines3', None)
    monkeypatch.delitem(sys.modules, 'servosim.sb3', raising=False)
    for name in [name for name in sys.modules if name.startswith('stable_baselines3.')]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r'needs the package stable-baselines3 \(pip install'):
        import servosim.sb3  # noqa: F401


def test_steps_are_those_of_the_environment(VecEnv):
    ours, plain = VecEnv(vector()), vector()
    assert (ours.num_envs, ours.observation_space, ours.action_space) == (
        5, plain.single_observation_space, plain.single_action_space)
    ours.seed(11)
    first = ours.reset()
    assert (first == plain.reset(seed=11)[0]).all() and ours.reset_infos == [{}] * 5
    draws = np.random.default_rng(3)
    ends = 0
    for _ in range(120):
        actions = draws.uniform(-10, 10, (5, 1)).astype(np.float32)
        observed, rewards, dones, infos = ours.step(actions)
        same, given, ended, cut, info = plain.step(actions)
        assert (observed == same).all() and (rewards == given).all() and (dones == ended | cut).all()
        assert rewards.dtype == np.float32 and dones.dtype == np.bool_ and len(infos) == 5
        for i, done in enumerate(dones):
            assert ('terminal_observation' in infos[i]) == done
            if done:
                ends += 1
                last = infos[i]['terminal_observation']
                assert (last == info['final_obs'][i]).all() and (last != observed[i]).any()
                assert infos[i]['TimeLimit.truncated'] is False
    assert ends > 5  # a pole that is pushed at random falls
    ours.close()


def test_an_end_of_time_is_no_end_of_the_task(VecEnv):
    ours = VecEnv(vector(3, max_episode_steps=4))
    ours.reset()
    late = []
    for _ in range(9):
        _, _, dones, infos = ours.step(np.zeros((3, 1), np.float32))
        late.append([info['TimeLimit.truncated'] for info in infos])
        assert (dones == late[-1]).all()
    assert late == [[step in (3, 7)] * 3 for step in range(9)]


def test_a_failure_is_told(VecEnv, monkeypatch):
    plain = vector(3)
    ours = VecEnv(plain)
    ours.reset()
    step = plain.step

    def failing(actions):
        observed, rewards, ended, cut, infos = step(actions)
        ended[1] = True
        final = np.full(3, None, dtype=object)
        final[1] = observed[1]
        failure = np.array([None, 'body pole diverged', None], dtype=object)
        return observed, rewards, ended, cut, {'final_obs': final, 'final_info': {'failure': failure}}

    monkeypatch.setattr(plain, 'step', failing)
    _, _, dones, infos = ours.step(np.zeros((3, 1), np.float32))
    assert dones.tolist() == [False, True, False]
    assert infos[1]['failure'] == 'body pole diverged' and 'failure' not in infos[0]


def test_what_it_refuses(VecEnv):
    with pytest.raises(ValueError, match="autoreset_mode='SameStep'"):
        VecEnv(vector(mode='NextStep'))
    with pytest.raises(TypeError, match='not JointEnv'):
        VecEnv(servosim.gym.make_task('CartPole-v0'))
    ours = VecEnv(vector(2))
    with pytest.raises(RuntimeError, match='after step_async'):
        ours.step_wait()
    with pytest.raises(ValueError, match='set for all'):
        ours.set_attr('mark', 3, indices=[1])
    ours.set_attr('mark', 3)
    assert ours.get_attr('mark', indices=1) == [3] and ours.env_is_wrapped(object) == [False, False]
    with pytest.raises(NotImplementedError, match='no method render'):
        ours.env_method('render')
    ours.set_options({'reset_mask': 3})
    with pytest.raises(ValueError, match='no options'):
        ours.reset()


def test_it_takes_what_gymnasium_makes_and_draws_it(VecEnv):
    made = gymnasium.make_vec('servosim/CartPole-v0', num_envs=2, autoreset_mode='SameStep', render_mode='rgb_array',
                              picture_size=(40, 30))
    ours = VecEnv(made)
    ours.reset()
    pictures = ours.get_images()
    assert len(pictures) == 2 and pictures[0].shape == (30, 40, 3)
    assert ours.get_attr('render_mode') == ['rgb_array'] * 2


if HAS_TORCH:
    def test_ppo_learns(VecEnv):
        from stable_baselines3 import PPO
        from stable_baselines3.common.evaluation import evaluate_policy
        from stable_baselines3.common.vec_env import VecMonitor
        envs = VecMonitor(VecEnv(vector(64)))
        model = PPO('MlpPolicy', envs, n_steps=32, batch_size=512, learning_rate=1e-3, seed=1, device='cpu')
        before, _ = evaluate_policy(model, envs, n_eval_episodes=64)
        model.learn(60_000)
        after, _ = evaluate_policy(model, envs, n_eval_episodes=64)
        assert before < 60 and after > 150  # steps upright, of 500

    def test_ppo_reaches(VecEnv):
        from stable_baselines3 import PPO
        from stable_baselines3.common.evaluation import evaluate_policy
        from stable_baselines3.common.vec_env import VecMonitor
        envs = VecMonitor(VecEnv(servosim.gym.make_task_vector(
            'Reacher-v0', num_envs=64, autoreset_mode='SameStep', max_episode_steps=100, threads=2)))
        model = PPO('MlpPolicy', envs, n_steps=32, batch_size=512, learning_rate=1e-3, seed=1, device='cpu')
        before, _ = evaluate_policy(model, envs, n_eval_episodes=256)
        model.learn(300_000)
        after, _ = evaluate_policy(model, envs, n_eval_episodes=256)
        assert after > before + 15.0 and after > -20.0  # above all the distances [m] of 100 steps

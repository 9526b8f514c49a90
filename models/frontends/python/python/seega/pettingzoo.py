"""Games of the Seega family as PettingZoo environments (the AEC interface).

    from seega.pettingzoo import env
    game = env(rules="siga/7", render_mode="ansi")

player_0 is White, who places first, player_1 Black. The same player is often selected several times in a row: for two
placements, for a chain, or because its opponent is blocked. An action is the place of a ply in a network's policy
(seega.action_index).

A player observes a dict:

* "observation": float32 from 0 to 1, shape [32, size, size]. First the five planes of models/FORMAT.md, then each of
  its 27 scalars as a plane of one number. The selected player sees exactly what a network is told. The other one sees
  its own stones first too; the rest stays as the selected player has it.
* "action_mask": int8, shape [action_count(size)]: 1 for legal actions; all 0 for the player that is not selected, and
  once the game is over.

A win is a reward of 1 and costs the opponent 1, a draw is 0. The rules bound the length of every game, so nothing is
truncated. Chance has no part in these games: a seed changes nothing.

Environments can be copied and pickled in the middle of a game. Training and networks are left to others.
"""

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from . import Position, Rules, action_count, action_from_index

PLAYERS = {"w": "player_0", "b": "player_1"}


def env(rules: str | Rules = "sija", render_mode: str | None = None) -> AECEnv:
    """A game with PettingZoo's usual wrappers: an illegal action ends it, at a cost of 1 to whoever made it.

    Args:
        rules: a spelling of rules, such as "siga/7:chain=none", or Rules.
        render_mode: None, or "ansi": render() gives the board as text.

    Raises:
        ValueError: for rules or a render mode that there are not.
    """
    game = wrappers.TerminateIllegalWrapper(raw_env(rules, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(game))


class raw_env(AECEnv):  # noqa: N801 (PettingZoo's name for it)
    """A game without wrappers: an illegal action raises ValueError, and the game goes on as it was."""

    metadata = {"name": "seega_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, rules: str | Rules = "sija", render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is None or 'ansi', not {render_mode!r}")
        self.rules = rules if isinstance(rules, Rules) else Rules(rules)
        self.render_mode = render_mode
        self.possible_agents = list(PLAYERS.values())
        start, size = Position(self.rules), self.rules.size
        shape = (len(start.planes()) + len(start.scalars()), size, size)
        self.action_spaces = {agent: spaces.Discrete(action_count(size)) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (action_count(size),), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space:
        """The space of a player's observations: always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """The space of a player's actions: always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Begins a game. Neither a seed nor options change anything."""
        self.position = Position(self.rules)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = PLAYERS[self.position.mover]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What a player observes, as the module tells.

        Raises:
            ValueError: for somebody who does not play.
        """
        if agent not in self.possible_agents:
            raise ValueError(f"{agent!r} is no player; they are {', '.join(self.possible_agents)}")
        planes, scalars = self.position.planes(), self.position.scalars()
        selected = agent == PLAYERS[self.position.mover]
        if not selected:
            planes[[0, 1]] = planes[[1, 0]]
        wide = np.broadcast_to(scalars[:, None, None], (len(scalars), *planes.shape[1:]))
        mask = self.position.legal_mask().astype(np.int8)
        return {
            "observation": np.concatenate([planes, wide]),
            "action_mask": mask if selected else np.zeros_like(mask),
        }

    def step(self, action: int | None) -> None:
        """Makes the selected player's ply."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.position = self.position.play(action_from_index(action, self.rules.size))
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.agent_selection = PLAYERS[self.position.mover]
        if self.position.outcome is not None:
            winner, _ = self.position.outcome
            if winner is not None:
                self.rewards = {agent: 1 if agent == PLAYERS[winner] else -1 for agent in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text, or None without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() gives nothing: the environment was made without a render_mode.")
            return None
        return drawn(self.position)

    def close(self) -> None:
        """Nothing is held open."""


def drawn(position: Position) -> str:
    """A position as text: the board, and below it who moves or how the game ended."""
    marks = {square: mark for side, mark in (("w", "○"), ("b", "●")) for square in position.stones(side)}
    files = "abcdefghi"[: position.rules.size]
    ranks = [
        f"{rank}  " + " ".join(marks.get(f"{file}{rank}", "·") for file in files)
        for rank in range(position.rules.size, 0, -1)
    ]
    names = {"w": "White ○", "b": "Black ●"}
    if position.outcome is None:
        status = f"{names[position.mover]} moves"
    else:
        winner, reason = position.outcome
        status = f"draw ({reason})" if winner is None else f"{names[winner]} wins ({reason})"
    return "\n".join([*ranks, "   " + " ".join(files), status])

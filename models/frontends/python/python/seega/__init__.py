"""The Seega family of board games: rules, positions, trained networks, search and players.

Everything is told by the notation of the project: squares such as c2, actions such as d4-c3, positions as one line of
text. What a network takes and gives is fixed by models/FORMAT.md.

Environments for reinforcement learning are in seega.pettingzoo, which needs the package pettingzoo.
"""

# The compiled module makes arrays; without numpy this tells so at once.
import numpy  # noqa: F401

from ._seega import (
    Network,
    Player,
    Position,
    Rules,
    SearchedAction,
    SearchResult,
    __version__,
    action_count,
    action_from_index,
    action_index,
)

__all__ = [
    "Network",
    "Player",
    "Position",
    "Rules",
    "SearchResult",
    "SearchedAction",
    "__version__",
    "action_count",
    "action_from_index",
    "action_index",
]

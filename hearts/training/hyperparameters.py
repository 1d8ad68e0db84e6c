"""Hyperparameters of the training of a network."""

from dataclasses import dataclass

# Names with weights: see hearts.training.population.
Weighted = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Training:
    """Self-play PPO; pairs are the values at the first and the last step, linear in between."""

    hands: int = 20_000_000
    seed: int = 1
    hidden1_width: int = 128
    hidden2_width: int = 32  # a multiple of 4
    hands_per_step: int = 4096  # hands played with the same weights
    batch_size: int = 8192  # decisions per update of the weights
    epochs: int = 2  # passes over the decisions of a step
    learning_rate: tuple[float, float] = (1e-3, 1e-4)
    entropy_bonus: tuple[float, float] = (0.01, 0.002)
    clip: float = 0.2  # ε of PPO: the ratio of probabilities is clipped to 1 ± ε
    gae_lambda: float = 0.5
    population: Weighted = (("self", 1.0), ("epsilon-greedy", 1.0))
    population_share: float = 0.25  # of the tables, where the other seats are of the population
    start: str = ""  # the digest of the network to start from; empty: random weights
    critic_steps: int = 0  # first steps, in which only the critic learns

    @property
    def steps(self) -> int:
        """The number of steps: hands are played, then the weights updated."""
        return max(1, self.hands // self.hands_per_step)


@dataclass(frozen=True)
class Imitation:
    """Supervised learning from recorded decisions."""

    seed: int = 1
    epochs: int = 12  # passes over all decisions
    batch_size: int = 4096  # decisions per update of the weights
    learning_rate: tuple[float, float] = (1e-3, 1e-5)  # at the first and the last update
    forgetful: float = 0.3  # share of seats that do not remember their pass, in training
    held_out: float = 0.1  # share of the deals that judge the result
    weight_decay: float = 0.1  # of AdamW
    hidden1_width: int = 128  # of a network that starts with random weights
    hidden2_width: int = 32

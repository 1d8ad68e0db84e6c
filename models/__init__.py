"""Opponent models ("beliefs"): which deals are likely, given what one seat knows. One per file.

- OM-0, `models.uniform`: all deals that fit the hand sizes and the known cards are equally likely.
- OM-1, `models.voids`: the same for deals that also fit the voids shown.
- OM-2, `models.behaviour`: deals are weighted by how well they explain passes and plays.
- mixture, `models.mixture`: a base belief, mixed with the public information.

`models.oracle` knows the true deal and is for tests and tournaments only.

To add a belief:

1. Write a class with the two methods of `hearts.engine.beliefs.Belief`: `sample(view, n, rng)`
   draws `n` weighted worlds, `probabilities(view)` returns an array (52, 4). Arguments of its
   constructor are strings: the engine splits `name:a:b` at the colons.
2. Register it as an entry point of the group `hearts.beliefs`, in pyproject.toml or in a package of
   your own: `"my-belief" = "my_package:MyBelief"`. Reinstall. The engine, the service and the
   command line then know it by that name.
3. Run `tests/laws/test_beliefs.py`. It checks every registered belief: worlds fit the view, weights
   are finite and sum to 1, probabilities match the hand sizes and the known cards, the same seed
   gives the same worlds, and partial views and views before the pass are answered too.
4. Compare it with the others: `hearts beliefs evaluate RECORDS --models OM-1,my-belief`.

`models.deals` counts and samples constrained deals; most beliefs start from it.
`models.posterior`, `models.evidence`, `models.styles` and `models.decisions` belong to OM-2, and
`models.fit` fits its styles. `models.evaluation` scores beliefs on recorded hands.
"""

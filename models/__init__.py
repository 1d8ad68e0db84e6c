"""Opponent models ("beliefs"): which deals are likely, given what one seat knows. One per file.

- OM-0, `models.uniform`: all deals that fit the hand sizes and the known cards are equally likely.
- OM-1, `models.voids`: the same for deals that also fit the voids shown.
- OM-2, `models.behaviour`: deals are weighted by how well they explain passes and plays.
- OM-3, `models.opponents`: deals and types of opponents are inferred together, and types play on.
- mixture, `models.mixture`: a base belief, mixed with the public information.

`models.oracle` knows the true deal, and `models.exploit` the policy of the others. They are for
tests and tournaments only.

docs/contributing.md says how to add a belief.

`models.deals` counts and samples constrained deals; most beliefs start from it.
`models.posterior`, `models.evidence`, `models.earlier`, `models.player_types`, `models.styles` and
`models.decisions` belong to OM-2 and OM-3, `models.network_types` to OM-3. `models.fit` fits the
styles.
`models.evaluation` scores beliefs on recorded hands.
"""

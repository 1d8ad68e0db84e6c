"""Tournaments on duplicate deals, on one machine or on a cluster, and experiments."""

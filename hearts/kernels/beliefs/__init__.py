"""Dealing, likelihood of plays and passes, MCMC."""

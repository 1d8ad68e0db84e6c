"""Kernels of opponent models: dealing, choice models, likelihoods and MCMC over deals."""

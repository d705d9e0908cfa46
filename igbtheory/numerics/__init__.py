"""Numerical methods that know nothing of networks: panels, roots, exchangeable variables, log-binomial, log-normal."""

"""Numerical methods that know nothing of networks: panels, exchangeable variables, log-binomial and log-normal sums."""

"""Numerical methods that know nothing of networks: panels, roots, bivariate, exchangeable and log-normal variables."""

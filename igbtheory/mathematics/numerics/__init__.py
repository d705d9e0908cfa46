"""Numerical methods that do not depend on networks: quadrature by panels, roots, distributions of normal variables."""

"""Limits that many rules share: what is negligible in double precision, and how much is held at once."""

TINY = 1e-300
"""A number in place of 0 where one divides or takes a logarithm: its inverse is within the range of floats, and it does
not change any other number that matters."""
DEPTH = 40.0
"""Minus the logarithm of what is negligible beside 1: exp(-40) = 4e-18 is a fiftieth of a rounding error."""
BLOCK = 2**20
"""Numbers of an intermediate array, 8 MiB of floats. Of softmax, shares and quadrature, blocks of 2^16 to 2^22 take the
same time up to a factor of 1.5; smaller ones take up to twice as long, and larger ones more memory for nothing."""

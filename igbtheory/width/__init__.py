"""Finite width: gamma and the law of the guesses of networks that are not infinitely wide.

`widths` has the units that each layer makes. `chain` draws the units of many networks from the Gram matrices of their
data, without their weights. `pairs` makes a prediction of it, `laws` the law of the guesses, `result` is what is
returned. `predicted` checks what the user asks for.
"""

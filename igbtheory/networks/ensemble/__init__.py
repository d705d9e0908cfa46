"""Networks of finite width that are drawn: what they are made of, and what is measured of each.

`widths` has the units that each layer makes. `chain` draws the units of one or of many networks from the features of
their data, without weights where that is cheaper. `data` has the inputs. `mixing` finds the layers for which pairs of
data are not enough. `moments` are those of one network over its data, given its hidden weights, and `estimates` their
means over networks, with standard errors; `extrapolation` has the weights of several widths.
"""

"""Nodes, which flow through a network: the law of a unit, or its kernel on a given data set.

A `node` consists of a `base` and a function of it that has not been averaged yet. Behind a Dense the base is
`gaussian`. `scaling` divides a node by a constant, as norms do, and `sums` adds independent nodes, as residual blocks
do. `draws` draws units; on a given data set, `control_variates` makes their averages more accurate. `places` has the
pairs of positions of images and sequences that a kernel holds.
"""

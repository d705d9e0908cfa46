"""Predictions for layers in a row in infinite width: the law of Gaussian inputs, or the kernel of a given data set."""

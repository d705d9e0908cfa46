"""Smooth functions without a closed kernel: tanh."""

from igbtheory.activations.function import formula

FUNCTIONS = (formula("tanh", "tanh(x)", "torch.nn.Tanh"),)

"""Functions of straight (or parabolic) pieces with two kinks: hardtanh, relu6, hardsigmoid, hardswish."""

from igbtheory.formulas.function import formula

FUNCTIONS = (
    formula("hardtanh", "min(max(x, -1), 1)", "torch.nn.Hardtanh(min_val=-1, max_val=1)"),
    formula("relu6", "min(max(x, 0), 6)", "torch.nn.ReLU6"),
    formula("hardsigmoid", "min(max(x + 3, 0), 6)/6", "torch.nn.Hardsigmoid"),
    formula("hardswish", "x*min(max(x + 3, 0), 6)/6", "torch.nn.Hardswish"),
)

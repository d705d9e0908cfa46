"""Functions without a closed kernel: tanh, sigmoid, softplus, silu, mish, softsign."""

from igbtheory.formulas.function import formula

FUNCTIONS = (
    formula("tanh", "tanh(x)", "torch.nn.Tanh"),
    formula("sigmoid", "sigmoid(x)", "torch.nn.Sigmoid"),
    formula("softplus", "softplus(x)", "torch.nn.Softplus(beta=1), without its threshold at 20 (2e-9 there)"),
    formula("silu", "x*sigmoid(x)", "torch.nn.SiLU"),
    formula("mish", "x*tanh(softplus(x))", "torch.nn.Mish"),
    formula("softsign", "x/(1 + abs(x))", "torch.nn.Softsign"),
)

"""Functions whose kernel has no closed form here: piecewise polynomials, exponentials below 0, smooth functions."""

from igbtheory.mathematics.formulas.function import formula

_SCALE = "1.0507009873554804934193349852946"
_ALPHA = "1.6732632423543772848170429916717"

# expm1(x) is exp(x) - 1 without cancellation near 0
FUNCTIONS = (
    formula("hardtanh", "min(max(x, -1), 1)", "torch.nn.Hardtanh(min_val=-1, max_val=1)"),
    formula("relu6", "min(max(x, 0), 6)", "torch.nn.ReLU6"),
    formula("hardsigmoid", "min(max(x + 3, 0), 6)/6", "torch.nn.Hardsigmoid"),
    formula("hardswish", "x*min(max(x + 3, 0), 6)/6", "torch.nn.Hardswish", None, "hard_silu"),
    formula("elu", "where(x > 0, x, expm1(x))", "torch.nn.ELU(alpha=1.0)"),
    formula("selu", f"{_SCALE}*where(x > 0, x, {_ALPHA}*expm1(x))", "torch.nn.SELU (Klambauer et al. 2017)"),
    formula("celu", "where(x > 0, x, expm1(x))", "torch.nn.CELU(alpha=1.0), which is elu at this alpha"),
    formula("tanh", "tanh(x)", "torch.nn.Tanh"),
    formula("sigmoid", "sigmoid(x)", "torch.nn.Sigmoid", None, "logistic"),
    formula("softplus", "softplus(x)", "torch.nn.Softplus(beta=1), without its threshold at 20 (2e-9 there)"),
    formula("silu", "x*sigmoid(x)", "torch.nn.SiLU", None, "swish"),
    formula("mish", "x*tanh(softplus(x))", "torch.nn.Mish"),
    formula("softsign", "x/(1 + abs(x))", "torch.nn.Softsign"),
)

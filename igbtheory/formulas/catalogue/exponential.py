"""Linear above 0, exponential below: elu, selu, celu; expm1(x) keeps the digits of exp(x) - 1 near 0."""

from igbtheory.formulas.function import formula

_SCALE = "1.0507009873554804934193349852946"
_ALPHA = "1.6732632423543772848170429916717"

FUNCTIONS = (
    formula("elu", "where(x > 0, x, expm1(x))", "torch.nn.ELU(alpha=1.0)"),
    formula("selu", f"{_SCALE}*where(x > 0, x, {_ALPHA}*expm1(x))", "torch.nn.SELU (Klambauer et al. 2017)"),
    formula("celu", "where(x > 0, x, expm1(x))", "torch.nn.CELU(alpha=1.0), which is elu at this alpha"),
)

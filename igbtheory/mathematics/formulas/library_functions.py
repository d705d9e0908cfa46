"""Functions of NumPy, SciPy, PyTorch, Keras and JAX as formulas in x, with their parameters."""

GELU_TANH = "x*sigmoid(sqrt(8/pi)*(x + 0.044715*x**3))"
"""The approximation x (1 + tanh y)/2 of gelu as x sigmoid(2 y), which does not cancel at negative y."""
SHAPES: dict[str, tuple[str, dict[str, int | float | str]]] = {
    "square": ("x**2", {}),
    "reciprocal": ("1/x", {}),
    "cbrt": ("sign(x)*abs(x)**(1/3)", {}),
    "log2": ("log(x)/log(2)", {}),
    "log10": ("log(x)/log(10)", {}),
    "exp2": ("exp(x*log(2))", {}),
    "ndtr": ("erfc(-x/sqrt(2))/2", {}),
    **dict.fromkeys(("logexpit", "logsigmoid"), ("-softplus(-x)", {})),
    "gelu": ("x*erfc(-x/sqrt(2))/2", {"approximate": "none"}),
    "gelunew": (GELU_TANH, {}),
    "quickgelu": ("x*sigmoid(1.702*x)", {}),
    "exponential": ("exp(x)", {}),
    "squareplus": ("(x + sqrt(x**2 + b))/2", {"b": 4}),
    "sparseplus": ("where(x < 1, max(x + 1, 0)**2/4, x)", {}),
    "sparsesigmoid": ("clip((x + 1)/2, 0, 1)", {}),
    "snake": ("x + sin(a*x)**2/a", {"a": 1}),
    "heaviside": ("where(x >= 0, 1, 0)", {"x2": 0}),
    "sinc": ("sin(pi*x)/(pi*x)", {}),
    "leakyrelu": ("where(x > 0, x, negative_slope*x)", {"negative_slope": 0.01}),
    "prelu": ("where(x > 0, x, weight*x)", {"weight": 0.25}),
    "elu": ("where(x > 0, x, alpha*expm1(x))", {"alpha": 1}),
    "celu": ("where(x > 0, x, alpha*expm1(x/alpha))", {"alpha": 1}),
    "softplus": ("log(1 + exp(beta*x))/beta", {"beta": 1}),
    "hardtanh": ("clip(x, min_val, max_val)", {"min_val": -1, "max_val": 1}),
    "tanhshrink": ("x - tanh(x)", {}),
    "thresholdedrelu": ("where(x > theta, x, 0)", {"theta": 1}),
    "rrelu": ("where(x > 0, x, (lower + upper)*x/2)", {"lower": "1/8", "upper": "1/3"}),
    "threshold": ("where(x > threshold, x, value)", {"threshold": 0, "value": 0}),
    "hardshrink": ("where(abs(x) > lambd, x, 0)", {"lambd": 0.5}),
    "fakequantizepertensoraffine": (
        "scale*(clip(round(x/scale) + zero_point, quant_min, quant_max) - zero_point)",
        {"scale": 1, "zero_point": 0, "quant_min": -128, "quant_max": 127},
    ),
    "softshrink": ("x - clip(x, -lambd, lambd)", {"lambd": 0.5}),
}
"""Formulas by folded name, with their parameters in the order and with the default values of `torch.nn.functional`.

rrelu is the function that PyTorch uses in evaluation. Hugging Face has the names gelunew and quickgelu, Keras has
exponential, squareplus and thresholdedrelu, and JAX has sparseplus and sparsesigmoid. Source of snake: Ziyin, Hartwig
and Ueda 2020.
"""

WORDS = {"approximate"}
"""Parameters whose values are words instead of numbers."""
_GATES = ("GLU", "ReGLU", "GEGLU", "SwiGLU")
LAYERS = {
    **{name.lower(): f"use the layer {name}(), as in mlp(3, igb.{name}())" for name in _GATES},
    "maxout": "use the layer MaxPool(m), the largest of m units, behind a Dense",
    **dict.fromkeys(("softmax", "logsoftmax", "softmin", "sparsemax"), "leave it out, the guesses are the same"),
}
"""Advice for functions of several units, by their folded names."""

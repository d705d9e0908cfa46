"""Explain a PyTorch model: theory beside measurement, layer by layer, and what would change its bias."""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.device import require_torch
from igbtheory.foundations.progress import counted, progress_bar, share, show_first
from igbtheory.layers.dense import Dense
from igbtheory.layers.nodes.draws import SPARE
from igbtheory.theory.refusals import TooLargeError
from igbtheory.torch.at_widths import AtWidths
from igbtheory.torch.ensemble import Asked, measure
from igbtheory.torch.explained_tables import percent
from igbtheory.torch.explanation import Explanation
from igbtheory.torch.failures import noted
from igbtheory.torch.infinite import in_infinite_width
from igbtheory.torch.initialise import initialise
from igbtheory.torch.result import Measurement
from igbtheory.torch.what_if import WhatIf

Array = NDArray[np.float64]
LONGEST = 90
"""Largest number of characters of a layer in the table."""
UNCHECKED, CHECKED = (0.35, 0.55, 0.65), (0.1, 0.2, 0.25)
"""Shares of the time after which models are measured, predicted in infinite width, and predicted at their own widths;
changes take the rest. On a LeNet, without and with a measurement of the changes: a bar need not be more accurate."""
SHARE, FEWEST = 5, 8
"""For a change of the model a fifth of the networks is drawn: about five changes take as long as the model itself; and
eight at least, whose Student's quantile is a fifth above the normal one."""
EXACT = 1e-6
"""Relative error of a prediction above which it is estimated from draws: rules have 1e-9 at most, draws over 1e-5."""


def explain(  # noqa: PLR0913 - the contract of the public name
    make_model: Callable[[], Any],
    X: Any,  # noqa: N803 - as scikit-learn spells data
    networks: int = 30,
    *,
    seed: int = 0,
    check: bool = False,
    output: str | int | None = None,
    multi_label: bool = False,
    progress: bool = False,
) -> Explanation:
    """Explain the bias of an untrained PyTorch model on the data X: layer by layer, measured and predicted.

    make_model, X, seed, output: as in `measure`. networks: number of models that are measured. check: whether the
    changes in the what-if table are measured, too. multi_label: as in `measure`; each label then makes two classes, the
    data with it and those without. Predictions are those of infinite width, if their kernels take less than about half
    a minute, and those at the model's own widths, from networks of the theory; changes of a model whose prediction in
    infinite width is estimated from draws have the latter alone. All data form one batch.
    If the outputs read a class token alone, the moments behind it are those of this token, and the names of the layers
    end in [:, 0]. progress: show a bar on standard error, and what is measured above it until theory has its numbers.

    A model that cannot be traced, or takes several inputs, is measured alone, behind every module that has no modules
    inside it, in the order of their calls.

    ValueError: the data are refused, a model or the same model twice. What the theory refuses is measured without a
    prediction, and what `measure` refuses of a change is predicted alone; the sentences give the reasons.

    >>> import torch.nn as nn
    >>> def make_model():
    ...     return nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 2))
    >>> explanation = igb.explain(make_model, igb.digits()[:50], networks=5)
    >>> explanation.names[-1]
    '2'
    """
    networks, seed = checks.whole("networks", networks, 2), checks.whole("seed", seed, 0)
    require_torch()
    with progress_bar(wanted=checks.flag("progress", progress)):
        return _explained(make_model, X, Asked(networks, seed, output, checks.flag("multi_label", multi_label), check))


def _explained(make_model: Callable[[], Any], x: Any, asked: Asked) -> Explanation:
    """Return the explanation, and show what is measured while theory is at work."""
    # these load PyTorch
    from igbtheory.torch import changes, moments, reading, tracing, widths  # noqa: PLC0415
    from igbtheory.torch.data import labelled_data  # noqa: PLC0415
    from igbtheory.torch.hooked import hooked_explanation  # noqa: PLC0415
    from igbtheory.torch.inputs import single  # noqa: PLC0415

    inputs = labelled_data(x, multi_label=asked.multi_label)[0]
    models = tracing.draws_of(make_model, asked.seed)
    try:
        data = single(inputs)
        read = reading.reading(tracing.copied(models), data, asked.output, multi_label=asked.multi_label)
        moments.refuse_loops(read, data, asked.output)
    except Exception as error:  # noqa: BLE001 - a tracer runs the model's own code, which may raise anything
        told = str(error) or ": ".join(noted(error) or ("", ""))  # an assertion may have no words of its own
        reason = told if isinstance(error, ValueError) else f"{type(error).__name__}: {told}"
        return hooked_explanation(make_model, inputs, asked, reason)
    values = data.double().cpu().numpy()
    measured_until, predicted_until, drawn_until = CHECKED if asked.check else UNCHECKED
    with share(0.0, measured_until):
        names, measured, summaries = moments.measured_moments(make_model, data, read, asked)
    bent = moments.is_off_centre(read.paths.get(read.output, ()))
    beginning = _measured_alone(read, names, measured, asked.measurement(summaries, len(data), bent=bent))
    show_first(beginning.beginning())
    with share(measured_until, predicted_until):
        predicted, refused = moments.predicted_moments(read, values, names)
    with share(predicted_until, drawn_until):
        finite = widths.at_widths(read, values, names, (asked.networks, asked.seed))
    whole = read.unread is None
    tried = [*changes.changes(read, values)] if asked.check or read.lacks_its_end_alone else []
    drawn = max(FEWEST, finite.networks // SHARE) if finite.networks else 0
    outputs = predicted[names.index(read.output)]
    draws = _Draws(asked, read, bool(refused), bool(outputs[3] > EXACT), drawn)
    with share(drawn_until, 1.0):
        work = counted(tried, len(tried), "changes of the model")
        lines = tuple(_what_if(change, make_model, models, data, draws) for change in work)
    if not (whole or asked.check):  # the changes that make the model one of the theory
        lines = tuple(line for line in lines if line.is_predicted)
    return replace(
        beginning,
        predicted=predicted[:, :2],
        predicted_variances=predicted[:, 2],
        doubt=_doubt(read, values, outputs[[0, 1, 3]], finite),
        limit_error=_doubt_of_rules(outputs[[0, 1, 3]]),
        uniform_biases=_uniform_biases(read, outputs[0] if finite.per_layer is None else finite.per_layer.var_mu[-1]),
        refused=refused,
        what_if=lines,
        at_widths=finite,
        initialised="" if asked.multi_label else _initialised(make_model, data, asked),
    )


def _measured_alone(read: Any, names: list[str], measured: Array, outputs: Measurement) -> Explanation:
    """Return the explanation before theory has its numbers. measured: the moments of `moments.measured_moments`."""
    from igbtheory.torch import moments  # noqa: PLC0415 - it loads PyTorch

    passed, paths = read.passed, [read.paths.get(name) for name in names]
    token = ["[:, 0]" if path and moments.at_class_token(path, read.trunk) else "" for path in paths]
    return Explanation(
        outputs.samples,
        outputs.seed,
        tuple(read.named.get(name, name) + token[i] for i, name in enumerate(names)),
        tuple(_layer_text(read, name) for name in names),
        tuple(name not in passed for name in names),
        measured[..., :2],
        np.full((len(names), 2), np.nan),
        np.nan,
        "" if read.unread is None else ": ".join(read.unread),
        "",
        (),
        measured[..., 2],
        outputs=outputs,
        positions=tuple(read.streams[name].entries.shape if name in read.streams else () for name in names),
        tied=measured[..., 3],
    )


@final
@dataclass(frozen=True)
class _Draws:
    """How changes are measured, and drawn.

    reading: of the model as it is, which a change of the data alone leaves. refused: whether the model itself has no
    prediction in infinite width, so that the reason is said already; estimated: whether that prediction is estimated
    from draws, which takes longer than networks at the model's own widths; drawn: the number of these networks, 0 if
    the model itself is not predicted at them.
    """

    asked: Asked
    reading: Any
    refused: bool
    estimated: bool
    drawn: int


def _what_if(change: Any, make_model: Any, models: Any, data: Any, draws: _Draws) -> WhatIf:
    """Return the bias ratios behind a change: predicted, and measured if they are asked for."""
    from igbtheory.torch import reading, tracing, widths  # noqa: PLC0415 - they load PyTorch

    asked = draws.asked
    changed = change.data(data.double().cpu().numpy())
    read = draws.reading
    if change.edit:
        edited = [change.model(model) for model in tracing.copied(models)]
        read = reading.reading(edited, data, asked.output, multi_label=asked.multi_label)
    line = WhatIf(change.name)
    if draws.drawn and read.unread is None:
        finite = widths.at_widths(read, changed, [read.output], (asked.networks, asked.seed), draws.drawn)
        line = replace(line, undrawn=finite.refused, **finite.of_output())
    if not draws.estimated or np.isnan(line.at_widths):
        line = replace(line, **_predicted_change(read, changed, refused=draws.refused))
    if not asked.check:
        return line
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as that BatchNorm in evaluation mode is the identity
            measured = measure(
                lambda: change.model(make_model()),
                changed,
                asked.networks,
                seed=asked.seed,
                output=asked.output,
                multi_label=asked.multi_label,
            )
    except ValueError as error:
        return replace(line, unmeasured=str(error))
    return replace(
        line,
        measured=measured.gamma,
        error=measured.gamma_error,
        measured_guess=measured.gamma_guess,
        guess_error=measured.gamma_guess_error,
        majority=measured.majority,
        majority_error=measured.majority_error,
    )


def _predicted_change(read: Any, data: Array, *, refused: bool) -> dict[str, Any]:
    """Return the bias ratios of a change in infinite width, or why there are none, by their names in `WhatIf`."""
    try:
        prediction = in_infinite_width(read.network().layers, data)
    except TooLargeError as error:
        return {"unpredicted": "" if refused else str(error)}
    except ValueError as error:
        return {"unpredicted": ": ".join(read.unread or [str(error)])}
    return {"predicted": float(prediction.gamma), "predicted_guess": float(prediction.gamma_guess)}


def _initialised(make_model: Callable[[], Any], data: Any, asked: Asked) -> str:
    """Return a sentence on what `initialise` does to the first of the models."""
    from igbtheory.torch.passes import made, stream  # noqa: PLC0415 - it loads PyTorch

    with stream(asked.seed, 0):
        model = made(make_model, 0)
    try:
        done = initialise(model, data, neutral=True, output=asked.output)
    except ValueError as error:
        return f"igb.initialise cannot even the guesses: {error}."
    return (
        "igb.initialise(model, X, neutral=True) evens the guesses of a model on these data by its last layer alone: "
        f"one of these models then gives no class more than {percent(done.after.max())}; {done.layer!r} was changed "
        f"by {percent(done.change)} of the length of its parameters."
    )


def _doubt(read: Any, data: Array, outputs: Array, finite: AtWidths) -> float:
    """Return the standard error of the expected gamma: see `Explanation`.

    outputs: var_mu and var_chi of the outputs in infinite width, and their relative error.
    """
    limit = float(outputs[0] / outputs[1])
    of_variances = 0.0 if np.isnan(outputs).any() else _doubt_of_variances(read, data, limit)
    if finite.per_layer is None:
        return hypot(_doubt_of_rules(outputs), of_variances, finite.change * limit)
    # drawn networks use no rules of infinite width
    gamma = float(finite.per_layer.gamma[-1])
    scaled = of_variances * gamma / limit if limit > 0 else of_variances  # the same share, unless there is no bias
    return hypot(finite.per_layer.gamma_error[-1], scaled, finite.of_weights * gamma)


def _uniform_biases(read: Any, var_mu: float) -> float:
    """Return the share of var_mu of the outputs that uniform biases of the last layer make, 0 if they are not."""
    path = read.paths.get(read.output, ())
    biases = path[-1].read.get("sigma_b2") if path else None
    return min(float(biases.value / var_mu), 1.0) if biases and biases.uniform and var_mu > 0 else 0.0


def _doubt_of_rules(outputs: Array) -> float:
    """Return the standard error of gamma in infinite width because its rules have errors. outputs: as in `_doubt`."""
    # the error of var_mu is relative to var_mu + var_chi; that of draws is SPARE standard errors
    error = outputs[2] / SPARE if outputs[2] > EXACT else outputs[2]
    return 0.0 if np.isnan(error) else float((1 + 2 * outputs[0] / outputs[1]) * error)


def _doubt_of_variances(read: Any, data: Array, gamma: float) -> float:
    """Return the standard error of gamma in infinite width because variances of weights were measured."""
    squares = [0.0]
    steps = read.paths[read.output]
    layers = [step.layer for step in steps]
    for i, step in enumerate(steps):
        for name, part in step.read.items():
            if part.error:
                other = replace(step.layer, **{name: part.value + part.error})
                # the last Dense changes no gamma, and a network ends in one
                moved = (*layers[:i], other, *layers[i + 1 :], Dense(1.0))
                squares.append((float(in_infinite_width(moved, data).gamma) - gamma) ** 2)
    return float(np.sqrt(sum(squares)))


def _layer_text(read: Any, name: str) -> str:
    """Return the last layer on the path to a node as text, its numbers with four digits."""
    path = read.paths.get(name)
    if path is None:
        node = next(node for node in read.graph.graph.nodes if node.name == name)
        kind = f"{type(read.graph.get_submodule(node.target)).__name__}, " if node.op == "call_module" else ""
        return f"{kind}not read"
    text = repr(path[-1].layer) if path else ""
    if len(text) > LONGEST:  # a residual block, whose layers have lines of their own
        return type(path[-1].layer).__name__
    return re.sub(r"\d+\.\d{4,}(e-\d+)?", lambda number: f"{float(number[0]):.4g}", text)

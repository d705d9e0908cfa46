"""The picture of every result: a table from the name of its class to the function that draws it into axes."""

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from igbtheory.foundations.result import Result
from igbtheory.presentation.pictures import estimates, language, laws, moments, phase_maps, study, training, verdict
from igbtheory.presentation.pictures.style import look

SIZE = (5.2, 3.2)
"""Width and height in inches of a new picture."""
LARGER = {"Diagram": (6.4, 4.2)}

# by name, so that a picture does not load the classes of other results, such as those that need SymPy
DRAWN: dict[str, Callable[[Axes, Any], None]] = {
    "AccuracyBounds": laws.accuracy,
    "BatchedClassLaw": laws.class_law,
    "BatchedGuessLaw": laws.count_law,
    "Certificate": moments.certificate,
    "ClassGradients": estimates.class_gradients,
    "ClassGuessLaw": laws.class_law,
    "ClassSummary": lambda axes, result: laws.class_law(axes, result.guesses),
    "Comparison": moments.comparison,
    "Course": verdict.course,
    "DatasetClassLaw": laws.class_law,
    "DatasetGuessLaw": laws.dataset_law,
    "DatasetSoftmaxLaw": laws.class_law,
    "DatasetRouterLaw": language.loads,
    "Derivation": laws.derivation,
    "Design": moments.design,
    "Diagram": phase_maps.diagram,
    "Drawn": laws.drawn,
    "Estimate": estimates.estimate,
    "Explanation": moments.explanation,
    "FiniteClassLaw": laws.class_law,
    "FiniteGuessLaw": laws.count_law,
    "FixedPoint": estimates.fixed_point,
    "GammaComparison": estimates.gamma_comparison,
    "GammaEstimate": estimates.gamma_estimate,
    "Gradients": moments.gradients,
    "GuessLaw": laws.guess_law,
    "LossAtStart": estimates.loss,
    "Measurement": laws.measurement,
    "Phase": verdict.phase,
    "Prediction": moments.prediction,
    "ResidualLimit": lambda axes, result: moments.prediction(axes, result.prediction),
    "RouterLaw": language.loads,
    "SampledLaw": laws.sampled,
    "Simulation": laws.simulation,
    "SoftmaxLaw": laws.class_law,
    "Study": study.largest,
    "Thresholds": estimates.thresholds,
    "Training": training.training,
    "VariedGuessLaw": laws.varied_law,
    "Verdict": verdict.gamma_over_depth,
    "Vocabulary": language.vocabulary,
    "WidthPrediction": moments.at_width,
}
WHOLE: dict[str, Callable[[Any], Figure]] = {"Study": study.study, "Verdict": verdict.picture}
"""Results whose picture has panels of its own."""


def plot(result: Result, axes: Axes | None = None) -> Axes:
    """Draw a result into axes, by default new ones, and return them. ValueError, TypeError: it has no picture."""
    # notebooks and plt.show() show the figures of pyplot only
    import matplotlib.pyplot as plt  # noqa: PLC0415 - other pictures do without it

    # load the backend before the context: a notebook turns its display on then, and the context would turn it off
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]
    with look():
        axes = plt.subplots(figsize=_size(result))[1] if axes is None else axes
        _drawing(result)(axes, result)
    return axes


def picture(result: Result) -> Figure:
    """Return a figure of the result for a file or a page, which no window shows; it may have several panels."""
    name = type(result).__name__
    if name in WHOLE:
        return WHOLE[name](result)
    figure = Figure(figsize=_size(result))
    _drawing(result)(figure.subplots(), result)
    return figure


def _drawing(result: Result) -> Callable[[Axes, Any], None]:
    try:
        return DRAWN[type(result).__name__]
    except KeyError:
        raise TypeError(f"expected a result of igbtheory, got {type(result).__name__}, which has no picture") from None


def _size(result: Result) -> tuple[float, float]:
    return LARGER.get(type(result).__name__, SIZE)

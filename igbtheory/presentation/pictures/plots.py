"""The picture of every result: a table from the name of its class to the function that draws it into axes."""

from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from igbtheory.foundations.result import Result
from igbtheory.guesses.share_of_class_0 import GuessLaw
from igbtheory.presentation.pictures import estimates, language, laws, moments, phase_maps, study, training, verdict
from igbtheory.presentation.pictures.pen import Pen, add
from igbtheory.presentation.pictures.style import fitted, look

SIZE = (5.2, 3.2)
"""Width and height in inches of a new picture."""
LARGER = {"Diagram": (6.4, 4.2)}

# by name, so that a picture does not load the classes of other results, such as those that need SymPy
DRAWN: dict[str, Callable[[Axes, Any, Pen], None]] = {
    "AccuracyBounds": laws.accuracy,
    "Certificate": moments.certificate,
    "ClassGradients": estimates.class_gradients,
    "ClassGuessLaw": laws.class_law,
    "ClassSummary": lambda axes, result, pen: laws.class_law(axes, result.guesses, pen),
    "Comparison": moments.comparison,
    "Course": verdict.course,
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
    "Law": lambda axes, law, pen: laws.sampled(axes, law.drawn(), pen),
    "LossAtStart": estimates.loss,
    "Measurement": laws.measurement,
    "NetworkComparison": moments.networks,
    "Phase": verdict.phase,
    "Prediction": moments.prediction,
    "ResidualLimit": lambda axes, result, pen: moments.prediction(axes, result.prediction, pen),
    "RouterLaw": language.loads,
    "SampledLaw": laws.sampled,
    "SharesComparison": laws.own_shares,
    "Simulation": laws.simulation,
    "SoftmaxLaw": laws.class_law,
    "Source": lambda axes, outputs, pen: laws.guess_law(axes, GuessLaw(outputs), pen),
    "Study": study.largest,
    "Thresholds": estimates.thresholds,
    "Training": training.training,
    "Verdict": verdict.gamma_over_depth,
    "Vocabulary": language.vocabulary,
    "WidthPrediction": moments.at_width,
}
WHOLE: dict[str, Callable[[Any], Figure]] = {"Study": study.study, "Verdict": verdict.picture}
"""Results whose picture has panels of its own."""


def plot(
    result: Result, ax: Axes | None = None, *, label: str | None = None, color: Any = None, linestyle: Any = None
) -> Axes:
    """Draw a result into axes, by default new ones, and return them. See `Result.plot`."""
    # notebooks and plt.show() show the figures of pyplot only
    import matplotlib.pyplot as plt  # noqa: PLC0415 - other pictures do without it

    drawing = _drawing(result)
    if ax is None:
        # load the backend before the context: a notebook turns its display on then, and the context would turn it off
        plt.draw_if_interactive()  # type: ignore[no-untyped-call]
        with look():
            ax = plt.subplots(figsize=_size(result))[1]
            try:
                add(ax, drawing, result, label=label, color=color, linestyle=linestyle)
            except BaseException:
                plt.close(ax.get_figure())  # type: ignore[arg-type] # these axes are in no subfigure
                raise
    else:  # axes of the user keep the user's style
        add(ax, drawing, result, label=label, color=color, linestyle=linestyle)
    return ax


def overlay(results: Mapping[str, Result], ax: Axes | None = None) -> Axes:
    """Draw results of one kind into one picture, with one colour each and one legend, and return its axes.

    results: by their labels, such as {"ReLU": igb.mlp(20, "relu").predict(), "tanh": igb.mlp(20, "tanh").predict()}.
    ax: Matplotlib axes, by default new ones. ValueError: there is none, or they are not on the same axes.

    >>> curves = {name: igb.mlp(20, name).predict() for name in ("relu", "tanh")}
    >>> axes = igb.overlay(curves)    # doctest: +SKIP
    """
    if not results:
        raise ValueError("expected results by their labels, got none; pass, say, {'ReLU': igb.mlp(20).predict()}")
    for label, result in results.items():
        ax = result.plot(ax, label=label)
    return ax  # type: ignore[return-value] # there is a result


def picture(result: Result) -> Figure:
    """Return a figure of the result for a file or a page, which no window shows; it may have several panels."""
    name = type(result).__name__
    if name in WHOLE:
        return WHOLE[name](result)
    figure = Figure(figsize=_size(result))
    add(figure.subplots(), _drawing(result), result, label=None, color=None, linestyle=None)
    return figure


def _drawing(result: Result) -> Callable[[Axes, Any, Pen], None]:
    """Return the picture of the class of a result, or of the nearest one from which it derives."""
    for kind in type(result).__mro__:
        if kind.__name__ in DRAWN:
            return DRAWN[kind.__name__]
    raise TypeError(f"expected a result of igbtheory, got {type(result).__name__}, which has no picture")


def _size(result: Result) -> tuple[float, float]:
    name = type(result).__name__
    return fitted(*LARGER.get(name, SIZE), single=name not in LARGER)

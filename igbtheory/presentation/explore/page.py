"""The page: its controls, its pictures and the callbacks between them. It needs Dash, the extra `explore`."""

from collections.abc import Callable
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html, no_update

from igbtheory.mathematics.formulas.catalogue import FUNCTIONS
from igbtheory.presentation.explore.answer import WIDTH, Contents
from igbtheory.presentation.explore.settings import DEFAULTS, DIGITS, idle

TITLES = {
    "law": "Law of the guesses",
    "ratio": "Bias ratio γ over depth",
    "correlation": "Correlation c over depth",
    "place": "Place in the phase diagram",
    "growth": "Growth of gradients",
    "classes": "Shares of ten classes",
}
ABOUT = (
    "Draw the random weights of an untrained network and pass a whole data set through it: "
    "G₀ is the fraction of the data that it gives to class 0."
)
NETWORKS = 200
"""Number of finite networks that are simulated on request."""
LATE = "choose fewer layers or fewer digits, or run igb predict, which has no time limit"
SLIDERS = {"depth": (1, 50, 1), "sigma_w2": (0.1, 4, 0.05), "sigma_b2": (0, 0.5, 0.01), "shift": (-2, 2, 0.1)}
"""Smallest value, largest value and step of the sliders; the fields beside them take any value."""
START = {**DEFAULTS, "first": 200}
"""First values of the controls: with all digits many networks take seconds."""
SAVED: Any = {"displayModeBar": True, "displaylogo": False, "modeBarButtons": [["toImage"]]}
"""What stands in the corner of a picture: a button that saves it."""
SHOWN, HIDDEN = {"height": "18rem"}, {"display": "none"}
BUTTONS = {"pin": "Pin to compare", "reset": "Reset"}
"""Buttons at the top, by their ids: the first keeps the network beside the next ones."""
NONE = ""
"""The value of a choice for none."""


def page(ask: Callable[..., Contents | None]) -> Any:
    """Return the Dash application. ask: function of the values, the number of finite networks and the pinned values.

    It returns the contents of the page, or None if a newer question replaces this one.
    """
    app = Dash(__name__, title="igb explore", update_title="", serve_locally=True)
    app.index_string = app.index_string.replace("<html>", '<html lang="en">')
    start = dcc.Store(id="start", data={name: _text(value) for name, value in START.items()})
    kept = [dcc.Location(id="address", refresh=False), start, dcc.Store(id="pinned-values")]
    app.layout = html.Div([*kept, _header(), html.Div([_controls(), _results()], className="columns")])
    values = {name: Input(name, "value") for name in DEFAULTS}
    app.callback(
        output={
            "errors": {name: Output(f"{name}-error", "children") for name in DEFAULTS},
            "message": Output("message", "children"),
            "figures": {name: Output(f"{name}-figure", "figure") for name in TITLES},
            "shown": {name: Output(f"{name}-figure", "style") for name in TITLES},
            "captions": {name: Output(f"{name}-caption", "children") for name in TITLES},
            "python": Output("python", "children"),
            "command": Output("command", "children"),
            "pinned": Output("pinned", "children"),
            "pin": Output("pin", "children"),
        },
        inputs={"values": values, "clicks": Input("simulate", "n_clicks"), "pinned": Input("pinned-values", "data")},
        running=[(Output("busy", "className"), "busy", "")],
    )(lambda values, clicks, pinned: _outputs(ask, values, pinned))  # noqa: ARG005 - Dash passes the clicks, too
    app.callback(
        output={name: Output(f"{name}-field", "hidden") for name in DEFAULTS},
        inputs={"values": {name: values[name] for name in ("norm", "data")}},
    )(lambda values: {name: name in idle(values) for name in DEFAULTS})
    _link(app, list(values.values()))
    return app


def _link(app: Any, values: list[Input]) -> None:
    """Link the fields to their sliders, and all controls to the address and to the buttons, in the browser."""
    start, pinned = State("start", "data"), Output("pinned-values", "data", allow_duplicate=True)
    changed = [Output(name, "value", allow_duplicate=True) for name in DEFAULTS]
    here = [State(name, "value") for name in DEFAULTS]

    def link(name: str, *ends: Any, **how: Any) -> None:
        app.clientside_callback(ClientsideFunction("explore", name), *ends, **how)

    for name in SLIDERS:
        ends = [(name, "value"), (f"{name}-slider", "value")]
        span = [State(f"{name}-slider", end) for end in ("min", "max")]
        link("follow", *(Output(*end) for end in ends), *(Input(*end) for end in ends), *span)
    link("write", *values, Input("pinned-values", "data"), start)
    link("read", *changed, pinned, Input("address", "search"), start, prevent_initial_call="initial_duplicate")
    link("reset", *changed, pinned, Input("reset", "n_clicks"), start, prevent_initial_call=True)
    stored = [State("pinned-values", "data"), *here]
    link("pin", Output("pinned-values", "data"), Input("pin", "n_clicks"), start, *stored, prevent_initial_call=True)


def _outputs(ask: Callable[..., Contents | None], values: dict[str, Any], pinned: dict[str, Any] | None) -> Any:
    """Return the outputs of the page; if the answer has no pictures, the old ones stay."""
    try:
        contents = ask(values, NETWORKS if ctx.triggered_id == "simulate" else 0, pinned)
    except TimeoutError as error:
        contents = Contents(message=f"{error}; {LATE}")
    if contents is None:
        return no_update
    drawn = contents.panels
    old = dict.fromkeys(TITLES, no_update)
    return {
        "errors": {name: contents.errors.get(name, "") for name in DEFAULTS},
        "message": contents.message,
        "figures": {name: panel.figure or no_update for name, panel in drawn.items()} or old,
        "shown": {name: SHOWN if panel.figure else HIDDEN for name, panel in drawn.items()} or old,
        "captions": {name: panel.caption for name, panel in drawn.items()} or old,
        "python": contents.python or no_update,
        "command": contents.command or no_update,
        "pinned": contents.pinned if drawn else no_update,
        "pin": "Unpin" if pinned else "Pin to compare",
    }


def _header() -> html.Header:
    return html.Header([html.H1("How does an untrained network guess?"), html.P(ABOUT)])


def _controls() -> html.Div:
    names = html.Datalist(id="names", children=[html.Option(value=name) for name in FUNCTIONS])
    norms = {NONE: "none", "batch": "batch", "layer": "layer", "rms": "RMS"}
    note = f"Shows {NETWORKS} networks of this width, by default {WIDTH}, beside the theory."
    buttons = [html.Button(text, id=name, type="button") for name, text in BUTTONS.items()]
    return html.Div(
        [
            html.Div(buttons, className="buttons"),
            html.P(id="pinned", className="note"),
            html.H2("Network"),
            _field("depth", "Depth, hidden layers", _slider("depth")),
            _field("activation", "Activation, name or formula in x", names, list="names"),
            _field("sigma_w2", ["Variance of the weights ", *_sigma("w")], _slider("sigma_w2")),
            _field("sigma_b2", ["Variance of the biases ", *_sigma("b")], _slider("sigma_b2")),
            _choice("norm", "Norm", norms),
            _choice("placement", "Placement of the norm", {"before": "before activation", "after": "after"}),
            _field("batch_size", "Batch size, empty for the full batch"),
            _field("pool", "Max-pool of units, empty for none"),
            html.H2("Inputs"),
            _choice("data", "Data set", {NONE: "Gaussian", "digits": "digits"}),
            _field("shift", "Shift, the mean of the inputs", _slider("shift")),
            _field("first", f"Number of digits, at most {DIGITS}"),
            html.H2("Finite networks"),
            _field("width", "Width, empty for infinite width only"),
            html.Button("Simulate", id="simulate", type="button"),
            html.P(note, className="note"),
        ],
        className="controls",
    )


def _field(name: str, label: Any, *beside: Any, **how: Any) -> html.Div:
    """Return a field with its label above it, and further elements and the place of its error below it."""
    field = dcc.Input(id=name, value=_text(START[name]), type="text", debounce=0.4, autoComplete="off", **how)
    return _block(name, html.Label(label, htmlFor=name), field, *beside)


def _choice(name: str, label: str, options: dict[str, str]) -> html.Div:
    """Return a choice among a few options, all of which are visible."""
    choice = dcc.RadioItems(options, DEFAULTS[name] or NONE, id=name, inline=True, className="choice")
    return _block(name, html.Fieldset([html.Legend(label), choice]))


def _block(name: str, *components: Any) -> html.Div:
    error = html.P(id=f"{name}-error", className="error", role="alert")
    return html.Div([*components, error], id=f"{name}-field", className="field")


def _slider(name: str) -> dcc.Input:
    """Return the slider that is linked to the field of this name."""
    least, most, step = SLIDERS[name]
    return dcc.Input(id=f"{name}-slider", type="range", min=least, max=most, step=step, value=DEFAULTS[name])


def _text(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _sigma(index: str) -> list[Any]:
    return ["σ", html.Sub(index), "²"]


def _results() -> html.Main:
    """Return the pictures with their sentences, and the code that reproduces them."""
    panels = [
        html.Section(
            [
                html.H2(title),
                dcc.Graph(id=f"{name}-figure", config=SAVED, responsive=True, style=HIDDEN),
                html.P(id=f"{name}-caption", className="caption"),
            ],
            className="panel",
        )
        for name, title in TITLES.items()
    ]
    lines = [
        html.Section(
            [html.H2([title, dcc.Clipboard(target_id=name, title="copy")]), html.Pre(id=name, tabIndex=0)],
            className="panel line",
        )
        for name, title in (("python", "The same in Python"), ("command", "The same on the command line"))
    ]
    status = html.P("computing …", id="busy", role="status")
    return html.Main([status, html.P(id="message", role="alert"), html.Div([*panels, *lines], className="grid")])

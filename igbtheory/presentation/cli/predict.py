"""`igb predict`: the prediction in infinite width, or at finite width."""

from typing import Annotated, Any, Literal

from igbtheory.presentation.cli.options import Case
from igbtheory.presentation.cli.parameters import Choice, Whole, Widths


def predict(
    case: Case = Case(),
    *,
    digits: Whole | None = None,
    width: Widths | None = None,
    features: Whole | None = None,
    method: Annotated[Literal["expansion", "pairs"] | None, Choice] = None,
    networks: Whole | None = None,
) -> None:
    """Print the prediction in infinite width: the moments after every Dense layer, and the law of G0.

    G0 is the fraction of the data that the untrained network assigns to class 0. gamma = var_mu/var_chi determines
    its law: one peak at 1/2 if gamma < 1 (neutral), two peaks at 0 and 1 if gamma > 1 (prejudiced). With --width, the
    networks have finite width, and gamma_guess is the gamma of their guesses.

    ```
    igb predict --depth 20 --activation gelu
    igb predict "Dense(2) | BatchNorm | relu | Dense(2)" --plot gamma.pdf
    igb predict --data table.csv --label-column species
    igb predict --depth 20 --width 100
    ```

    Parameters
    ----------
    digits
        Compute with this many significant digits; by default in double precision.
    width
        Predict networks in which every Dense but the first reads so many units, or these numbers one by one: 100,64,32.
    features
        Number of components of Gaussian inputs with --width; by default the first width.
    method
        Method with --width: expansion is of first order in 1/width; pairs draws networks exactly, without their
        weights, with --seed. By default Gaussian inputs take the expansion where it holds.
    networks
        Number of networks that are drawn with --width; by default as many as about two seconds allow.

    """
    finite = {"width": width, "features": features, "method": method, "networks": networks}
    options = {name: value for name, value in finite.items() if value is not None}
    if width:
        options["seed"] = case.seed

    def predicted(network: Any, inputs: Any) -> Any:
        return network.predict(inputs, digits=digits, **options)

    case.compute(predicted, digits or 17)

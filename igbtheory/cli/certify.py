"""`igb certify`: the prediction in infinite width with proven digits."""

from igbtheory.cli.options import GaussianCase, Layers, Whole


def certify(layers: Layers = None, /, case: GaussianCase = GaussianCase(), *, digits: Whole = 15) -> None:
    """Print var_mu, var_chi, gamma and c of the output layer, each with a radius that is proven to hold the true value.

    [0.46694220692425986 +/- 1.7e-20] says that the number lies in that interval, whatever was rounded, cut off or left
    out on the way. What cannot be proven is refused; `igb predict --digits 30` estimates its error instead.

    Parameters
    ----------
    digits
        Relative radii below 10^-digits.

    """
    case = case.of(layers)
    values = case.values()
    case.answer(case.origin(values), case.drawn(lambda: case.network().certify(digits, inputs=values)))

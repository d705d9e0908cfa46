"""`igb certify`: the prediction in infinite width with proven digits."""

from igbtheory.presentation.cli.options import GaussianCase
from igbtheory.presentation.cli.parameters import Whole


def certify(case: GaussianCase = GaussianCase(), *, digits: Whole = 15) -> None:
    """Print var_mu, var_chi, gamma and c of the output layer, each with a radius that is proven to hold the true value.

    [0.46694220692425986 +/- 1.7e-20] says that the number provably lies in this interval: the radius includes all
    rounding and truncation errors. Networks without a proof are refused; `igb predict --digits 30` estimates the error
    instead.

    ```
    igb certify --depth 10 --digits 30
    ```

    Parameters
    ----------
    digits
        Relative radii are below 10^-digits.

    """
    case.compute(lambda network, inputs: network.certify(digits, inputs=inputs))

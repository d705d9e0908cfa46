"""What the pictures of the report show, in words that hold for every run; the numbers are those of the run."""

from igbtheory.presentation.report.cases import DIGITS, GAUSSIAN

AGREEMENT = """All deviations in the two tables of this report, in units of their standard errors. The
grey bands are one and two standard errors: two thirds of the points should lie in the inner, 95%
in the outer one."""

GUESSES = {
    GAUSSIAN: """Black: theory at the width of the networks, for infinitely many data; where the
bias ratio is 0, all networks have the share 1/2, which a line shows. Dashed: theory for as many
data as were counted, in the bins of the histogram; with few data even a neutral network does not hit
1/2. Where the law is narrow, the axis shows only the neighbourhood of 1/2.""",
    DIGITS: "Black: theory for this data set in infinite width, in the bins of the histogram.",
}

LAYERS = {
    GAUSSIAN: """The bias ratio from layer to layer of the deepest networks. Black: theory in
infinite width. Dashed: theory at the width of the networks. Points: these networks, the same ones in
all layers, so that the errors of neighbouring layers are correlated; an estimate below 0 is drawn at 0.""",
    DIGITS: """The bias ratio from layer to layer of the deepest networks. Black: theory in
infinite width. Points: finite networks; those of one width are the same ones in all layers, so that
the errors of neighbouring layers are correlated; an estimate below 0 is drawn at 0.""",
}

WIDTHS = """The effect of finite width on the guesses. Blue: three widths. Orange: the
extrapolation to infinite width, which removes the trend at the price of a larger error. Line: theory
in infinite width."""

CLASSES = """Mean share of the data that the favoured class gets, the second one, and so on. Black:
theory for as many data as were simulated, exact. Dotted: even guesses."""

LOSSES = """Mean gradient at the logit of the favoured class, divided by the value for
cross-entropy; many error bars are smaller than the marks. Below zero, descent makes the favoured
class still more likely: a loss that ignores data which look mislabelled ignores, at the start, all
data that the network guesses wrongly. Blurry loss -p^a log p with a = 0.5, its weight p^a held
constant or differentiated; piecewise-zero loss with the cut-off 0.1; focal loss with the exponent
2."""

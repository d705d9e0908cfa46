"""What the pictures of the report show, in words that hold for every run; the numbers are those of the run."""

AGREEMENT = """All deviations in the two tables of this report, in units of their standard errors.
The grey bands are one and two standard errors: two thirds of the points should lie in the inner,
95% in the outer one."""

GUESSES = {
    "gaussian": """Black: theory for infinitely many data; at a bias ratio of 0 it is a point mass
at 1/2, a line. Dashed: theory for as many data as were simulated, in the bins of the histogram;
with few data even a neutral network does not hit 1/2. If the law is narrow, the axis shows only its
neighbourhood.""",
    "digits": "Black: theory for this data set, in the bins of the histogram.",
}

LAYERS = """The bias ratio from layer to layer of the deepest networks. Line: theory. Points: finite
networks; the points of one width come from the same networks, so that errors of neighbouring layers
are correlated."""

WIDTHS = """The effect of finite width on the bias ratio of the output. Blue: three widths. Orange:
the extrapolation to infinite width, which removes the trend at the price of a larger error. Line:
theory. Deep ReLU networks need the correction most: the deviation is of order depth/width."""

CLASSES = """Mean share of the data that the favoured class gets, the second one, and so on. Black:
theory for as many data as were simulated, exact. Dotted: even guesses."""

LOSSES = """Mean gradient at the logit of the favoured class, divided by the value for
cross-entropy; many error bars are smaller than the marks. Below zero, descent makes the favoured
class still more likely: a loss that ignores data which look mislabelled ignores, at the start, all
data that the network guesses wrongly. Blurry loss -p^a log p with a = 0.5, its weight p^a held
constant or differentiated; piecewise-zero loss with the cut-off 0.1; focal loss with the exponent
2."""

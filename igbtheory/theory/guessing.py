"""What predictions of outputs have in common: the laws of all statistics of their guesses."""

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from igbtheory.theory.output_layer import OutputLayer

if TYPE_CHECKING:
    from igbtheory.guesses.own_shares import SharesComparison
    from igbtheory.guesses.router import RouterLaw
    from igbtheory.guesses.several import ClassGuessLaw
    from igbtheory.guesses.share_of_class_0 import GuessLaw
    from igbtheory.guesses.softmax import SoftmaxLaw
    from igbtheory.guesses.source import Source

Number = TypeVar("Number")


class Guessing(OutputLayer[Number]):
    """A prediction of outputs, the source of laws; a law is loaded when it is used."""

    source: "Source"
    """The outputs from which the law of G0 follows."""

    @cached_property
    def G0(self) -> "GuessLaw":  # noqa: N802 - the papers' letter
        """Law of the share of the data that the network gives to class 0."""
        from igbtheory.guesses.share_of_class_0 import GuessLaw  # noqa: PLC0415 - most predictions need no law

        return GuessLaw(self.source)

    @property
    @abstractmethod
    def outputs(self) -> "Source":
        """The outputs of several classes, from which these laws follow."""

    def guesses(self, n_classes: int) -> "ClassGuessLaw":
        """Return the law of the shares of the data that 2 to 10^6 classes with independent outputs get."""
        from igbtheory.guesses.several import ClassGuessLaw  # noqa: PLC0415 - as above

        return ClassGuessLaw(self.outputs, n_classes)

    def softmax(self, n_classes: int, temperature: float = 1.0) -> "SoftmaxLaw":
        """Return the law of the mean softmax probabilities over the data of 2 or more classes.

        The outputs are divided by the temperature before the softmax.
        """
        from igbtheory.guesses.softmax import SoftmaxLaw  # noqa: PLC0415 - as above

        return SoftmaxLaw(self.outputs, n_classes, temperature)

    def router(self, experts: int, top: int) -> "RouterLaw":
        """Return the law of the loads of experts, of which every token takes the `top` with the largest outputs.

        In infinite width it leaves out that a router reads d units; `predict(width=d).router` takes it into account, by
        networks whose routers read about a thousand tokens each on Gaussian inputs.
        """
        from igbtheory.guesses.router import RouterLaw  # noqa: PLC0415 - as above

        return RouterLaw(self.outputs, experts, top)

    def compare(self, shares: Any, D: Any = None, *, seed: int = 0) -> "SharesComparison":  # noqa: N803 - as above
        """Return shares of the data in networks of your own beside this prediction: a picture, a p-value, a sentence.

        shares: those of class 0 in independent networks, shape (networks,), those of all classes, (networks, classes),
        or outputs, (networks, data, classes), from which they are counted. D: the number of data that were counted, if
        outputs do not tell it; None: infinitely many, or the data of the prediction. seed: of the draws of the law.
        """
        from igbtheory.guesses.own_shares import compare_shares  # noqa: PLC0415 - as above

        return compare_shares(self, shares, D, seed)

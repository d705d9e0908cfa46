from igbtheory.guesses.accuracy import AccuracyBounds as AccuracyBounds
from igbtheory.guesses.accuracy import accuracy_bound as accuracy_bound
from igbtheory.guesses.accuracy import accuracy_bounds as accuracy_bounds
from igbtheory.guesses.accuracy import loose_accuracy_bound as loose_accuracy_bound
from igbtheory.guesses.bias_of_guesses import gamma_of_variance as gamma_of_variance
from igbtheory.guesses.finite import FiniteGuessLaw as FiniteGuessLaw
from igbtheory.guesses.outputs_at_data import FeatureOutputs as FeatureOutputs
from igbtheory.guesses.outputs_at_data import KernelOutputs as KernelOutputs
from igbtheory.guesses.own_shares import SharesComparison as SharesComparison
from igbtheory.guesses.ranked import mean_shares as mean_shares
from igbtheory.guesses.router import RouterLaw as RouterLaw
from igbtheory.guesses.sampled import Estimate as Estimate
from igbtheory.guesses.sampled import SampledLaw as SampledLaw
from igbtheory.guesses.several import ClassGuessLaw as ClassGuessLaw
from igbtheory.guesses.several import FiniteClassLaw as FiniteClassLaw
from igbtheory.guesses.share_of_class_0 import GuessLaw as GuessLaw
from igbtheory.guesses.simulated import SimulatedOutputs as SimulatedOutputs
from igbtheory.guesses.softmax import SoftmaxLaw as SoftmaxLaw
from igbtheory.guesses.source import Batches as Batches
from igbtheory.guesses.source import GaussianOutputs as GaussianOutputs
from igbtheory.guesses.summary import ClassSummary as ClassSummary
from igbtheory.guesses.varied import VariedOutputs as VariedOutputs
from igbtheory.guesses.vocabulary import Vocabulary as Vocabulary

__all__: tuple[str, ...]

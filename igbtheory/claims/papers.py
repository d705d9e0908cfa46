"""The papers whose claims are tested, by the letter in front of the id of a claim."""

PAPERS = {
    "A": "E. Francazi, A. Lucchi, M. Baity-Jesi, Initial Guessing Bias: How Untrained Networks Favor Some Classes, "
    "ICML 2024, arXiv:2306.00809",
    "B": "E. Francazi, Emergence of Bias in DNN Predictions & Its Impact on Trainability, slides",
    "C": "N. Pellegrino, D. Szczecina, P. W. Fieguth, Effects of Initialization Biases on Deep Neural Network Training "
    "Dynamics, from a summary",
    "D": "A. Bassi, M. Baity-Jesi, A. Lucchi, C. Albert, E. Francazi, When Bias Meets Trainability: Connecting "
    "Theories of Initialization, ICLR 2026, arXiv:2505.12096, from a summary and the poster",
    "E": "E. Francazi, F. Pinto, A. Lucchi, M. Baity-Jesi, Where You Place the Norm Matters: From Prejudiced to "
    "Neutral Initializations, arXiv:2505.11312v4",
}

"""A page in the browser to play with: a network's law of guesses, at once, while its controls are moved."""

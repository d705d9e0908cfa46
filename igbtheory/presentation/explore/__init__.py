"""A page in the browser that shows the law of guesses of a network while its controls are moved."""

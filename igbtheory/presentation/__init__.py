"""What a reader sees: `pictures` of results, the `report`, the page to `explore`, and the command line, `cli`.

Only this wing and what lies outside the package use it through its public names, as `igb.mlp`.
"""

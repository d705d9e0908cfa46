"""What every part stands on, and what knows nothing of networks.

`checks` of arguments, `labels`, `text` for printing; `result` is the base class of results, `saved` writes and reads
them, and `backend` draws them. `files` reads data sets, behind the guards of `guarded`; `whole_files` are written
completely or not at all. `runs` executes many pieces of work, with one thread for each (`threads`), and `device`
multiplies with PyTorch. `memory` of freed arrays is kept for the next ones. `shipped` finds the files that come with
the package, `lazy` loads names when they are used.
"""

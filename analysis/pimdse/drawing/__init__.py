"""Pictures of result files, one module each. `draw` returns a figure and a sentence; style.py has what they share."""

"""Pictures of result files, a module each; style.py is what they share. Every one gives a figure and a sentence."""

"""pimdse from Python: evaluate designs, explore spaces, read result files. docs/python.md is the manual.

    import pimdse
    result = pimdse.evaluate("dplena", vlen=2048, channels=32)
    results = pimdse.explore("spaces/quick.toml", "quick.h5")
    results.front()

`Explorer` needs only the standard library; tables need numpy, h5py and pandas."""
from importlib import import_module

_HOME = {
    "Condition": "condition",
    "ConditionError": "errors",
    "Evaluation": "evaluation",
    "Explorer": "client",
    "NotAResultFile": "errors",
    "NotATrace": "errors",
    "NotFound": "errors",
    "NothingToDraw": "errors",
    "PimdseError": "errors",
    "Refused": "errors",
    "Results": "result_file",
    "UnknownName": "errors",
    "evaluate": "evaluation",
    "explore": "evaluation",
    "find_program": "program",
    "hypervolume": "dominance",
    "is_on_front": "dominance",
    "load": "result_file",
    "print_quantity": "units",
    "recommend": "recommendation",
}
_PACKAGES = ("numpy", "h5py", "pandas")
__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'pimdse' has no attribute '{name}'")
    try:
        return getattr(import_module("." + _HOME[name], __name__), name)
    except ModuleNotFoundError as error:
        if error.name not in _PACKAGES:
            raise
        if import_module(".program", __name__).WHEEL.is_file():
            remedy = "pip install numpy h5py pandas"
        else:
            remedy = f"Debian: apt install python3-{error.name}, and run /usr/bin/python3"
        raise ImportError(f"pimdse.{name} needs {error.name} ({remedy})", name=error.name) from error


def __dir__():
    return __all__

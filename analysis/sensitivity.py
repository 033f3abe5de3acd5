#!/usr/bin/python3
"""Draw how much of a metric's variance each parameter explains: exact if a file has all designs, with bootstrap
intervals if it has a random sample."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script, conditions_of, names_of, whole_number  # noqa: E402

EXAMPLE = "sensitivity.py quick.h5 --metrics latency,energy --log -o sensitivity.png"


def picture(chosen):
    import pimdse
    from pimdse import sensitivity as indices
    from pimdse.drawing import designs, sensitivity

    results = pimdse.load(chosen.file)
    where = conditions_of(chosen)
    metrics = designs.choose_metrics(results, names_of(chosen.metrics))
    rows = designs.some(results, results.feasible(chosen.fidelity, where), where)
    found = indices.sensitivity(results, rows, metrics, chosen.log, chosen.resamples)
    if chosen.table:
        print(found.table.to_string(index=False, float_format="{:.3f}".format))
    return sensitivity.draw(results, found, metrics, where)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE).conditions()
    script.add("--metrics", metavar="NAMES", help="metrics, separated by commas (default: the objectives)")
    script.add("--log", action="store_true", help="use the logarithms of the metrics")
    script.add("--table", action="store_true", help="also print the shares")
    script.add("--resamples", type=whole_number, default=200, metavar="N",
               help="resamples of the bootstrap (default: 200)")
    sys.exit(script.run(picture, "-sensitivity"))

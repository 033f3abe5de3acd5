"""What tests of bad input share."""
import re
import shutil
from pathlib import Path

from conftest import ROOT

HEAD = 'schema = 1\narchitecture = "cim_mesh"\nobjectives = ["latency"]\n'


def data_with(folder, file, old, new):
    """The data folder, in which the text `old` of one file is `new`; as the environment of a run."""
    def only_data(_, names):
        return [name for name in names if Path(name).suffix in (".cpp", ".hpp", ".md")]

    shutil.copytree(ROOT / "models", folder / "data" / "models", ignore=only_data)
    path = folder / "data" / "models" / file
    text, count = re.subn(old, new, path.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1, old
    path.write_text(text)
    return {"PIMDSE_DATA": str(folder / "data")}

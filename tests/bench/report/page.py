#!/usr/bin/python3
"""How large the page of 100,000 designs is, and how soon it is there and answers: tests/bench/report/page.py PROGRAM.

Explores designs of dplena and of cim_mesh at analytic fidelity, writes their pages and drags a range in headless
Chromium. Wall clock, medians; the machine should be quiet."""
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DESIGNS = "100000"
SPACES = {
    "dplena, eight parameters": """schema = 2
architecture = "dplena"
objectives = ["latency", "area", "energy"]
[parameters]
vlen = { from = 64, to = 4096, times = 2 }
prefetch = { from = 1, to = 64, times = 2 }
channels = { from = 2, to = 32, times = 2 }
outstanding = { from = 1, to = 16 }
buffers = [1, 2, 3, 4]
hbm_bus = ["compat", "corrected"]
overlap = ["none", "prefetch", "dual_issue"]
batch = { from = 1, to = 16, times = 2 }
""",
    "cim_mesh, seven parameters": """schema = 2
architecture = "cim_mesh"
objectives = ["latency", "area"]
[parameters]
llm = ["llama-3.2-1b", "llama-2-7b"]
mesh_rows = [16, 24, 32, 48]
mesh_cols = [16, 32]
link_bits = [32, 64, 128]
frequency = { from = "0.25 GHz", to = "2 GHz", step = "0.05 GHz" }
dmacs = { from = 2, to = 64 }
fifo_bytes = { from = 64, to = 1024, step = 64 }
""",
}
DRAG = """
const done = arguments[0], handle = document.querySelector('#parallel-axes .handle');
const at = handle.getBoundingClientRect(), x = at.x + at.width / 2, y = at.y + at.height / 2, steps = [];
const send = (type, y) => handle.dispatchEvent(new PointerEvent(type, { bubbles: true, cancelable: true, clientX: x,
  clientY: y, pointerId: 1, button: 0, buttons: type === 'pointerup' ? 0 : 1, isPrimary: true }));
const drawn = () => new Promise((end) => requestAnimationFrame(() => setTimeout(end, 0)));
handle.setPointerCapture = () => {};
(async () => {
  send('pointerdown', y - 60);
  await drawn();
  for (let i = 0; i < 20; ++i) {
    const begin = performance.now();
    send('pointermove', y - 60 + 5 * i);
    await drawn();
    steps.push(performance.now() - begin);
  }
  const begin = performance.now();
  send('pointerup', y + 40);
  await drawn();
  done([steps.sort((a, b) => a - b)[10], performance.now() - begin]);
})();
"""


def ready(page, path):
    """Seconds until it may be used."""
    page.get("about:blank")
    begin = time.monotonic()
    page.get(path.as_uri())
    while not page.execute_script("return document.body?.dataset.ready !== undefined"):
        time.sleep(0.005)
    return time.monotonic() - begin


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = os.environ["PIMDSE"] = str(Path(sys.argv[1]).resolve())
    sys.path.append(str(Path(__file__).resolve().parents[2] / "browser"))
    from looking import started

    with tempfile.TemporaryDirectory() as name:
        for title, text in SPACES.items():
            space, results, path = (Path(name, file) for file in ("space.toml", "many.h5", "many.html"))
            space.write_text(text, encoding="utf-8")
            subprocess.run([program, "explore", space, "-o", results, "--fidelity", "analytic", "--strategy", "random",
                            "--budget", DESIGNS, "--progress", "none", "--force"], check=True, capture_output=True)
            subprocess.run([program, "report", results, "-o", path, "--force"], check=True, capture_output=True)
            page = started(Path(name, "browser"))
            try:
                waits = [ready(page, path) for _ in range(5)]
                drags = [page.execute_async_script(DRAG) for _ in range(5)]
            finally:
                page.quit()
            step, release = (statistics.median(times) for times in zip(*drags))
            size, wait = path.stat().st_size / 1e6, statistics.median(waits)
            print(f"{title}: {size:.2f} MB, ready in {wait:.2f} s, a step of a drag {step:.0f} ms, its release "
                  f"{release:.0f} ms")


if __name__ == "__main__":
    main()

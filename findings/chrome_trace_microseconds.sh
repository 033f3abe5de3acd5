#!/usr/bin/env bash
# chrome-trace-event 1.0.4: a task of 400 ns takes no time in a trace, or a microsecond.
#
# Guess: events that begin 0.4 us apart have times that differ by 0.4.
# Seen:  the clock's nanoseconds are rounded to whole microseconds before they are written. Tasks of 400 ns take 0 or 1
#        by where they begin; sums of them are off by any factor.
# Who:   tools that write their own traces for about:tracing or Perfetto, beside a simulator's: tasks below a
#        microsecond vanish, and those of 1.4 us and 0.6 us are equal.
# Why right to expect: times of the format are microseconds with a fraction, and the clock has nanoseconds.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages chrome-trace-event@1.0.4

cat >trace.cjs <<'JS'
let clock = 1_000_000_000;
process.hrtime = () => [Math.floor(clock / 1e9), clock % 1e9];
const { Tracer } = require("chrome-trace-event");
const tracer = new Tracer();
const durations = [400, 400, 400, 600, 1400];
for (const duration of durations) {
    tracer.begin({ name: "task" });
    clock += duration;
    tracer.end({ name: "task" });
}
let text = "";
tracer.on("data", (part) => (text += part));
tracer.on("end", () => {
    const times = JSON.parse(text + "]").map((event) => event.ts);
    console.log(durations.map((duration, task) =>
        `${duration} ns: ${times[2 * task + 1] - times[2 * task]} us`).join(", "));
});
tracer.push(null);
JS
same "$(node trace.cjs)" <<'EXPECTED'
400 ns: 0 us, 400 ns: 1 us, 400 ns: 0 us, 600 ns: 1 us, 1400 ns: 1 us
EXPECTED

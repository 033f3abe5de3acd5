#!/usr/bin/env bash
# vega-loader 5.1.3 (Vega, Vega-Lite): designs called "gpu 4" and "gpu 8" are read as April and August 2001.
#
# Guess: texts, as "gpu 16" is; only texts in a usual form of dates are dates.
# Seen:  a column of a CSV is a date if JavaScript's Date takes all of its cells, which in Node and Chromium is any word
#        with a number from 1 to 12: "bank 1", "mesh 4", "batch-8" and the ratio "1/8". With one 16 in it the column is
#        a text. int8, fp4 and hbm3 are texts.
# Who:   tables of designs on a page: the axis has months, and whether it has depends on the largest number. `parse:
#        {design: "string"}` in the data's format helps.
# Why right to expect: the types are found from the values, and the documentation shows dates such as 2010-01-01; a name
#        is not one of those.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages vega-loader@5.1.3

seen=$(TZ=UTC node --input-type=module - <<'JS'
import { read } from "vega-loader";
for (const names of [["gpu 4", "gpu 8"], ["gpu 4", "gpu 16"], ["bank 1", "bank 12"], ["batch-1", "batch-8"],
    ["1/8", "1/4"], ["int4", "int8"]]) {
    const rows = read(["design", ...names].join("\n"), { type: "csv", parse: "auto" });
    console.log(names.join(", "), "->", rows.map(({ design }) =>
        typeof design === "string" ? design : new Date(design).toISOString().slice(0, 10)).join(", "));
}
JS
)
same "$seen" <<'EXPECTED'
gpu 4, gpu 8 -> 2001-04-01, 2001-08-01
gpu 4, gpu 16 -> gpu 4, gpu 16
bank 1, bank 12 -> 2001-01-01, 2001-12-01
batch-1, batch-8 -> 2001-01-01, 2001-08-01
1/8, 1/4 -> 2001-01-08, 2001-01-04
int4, int8 -> int4, int8
EXPECTED

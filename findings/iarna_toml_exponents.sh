#!/usr/bin/env bash
# @iarna/toml 3.0.0: a number such as 1e-12 is written as "1e-12.undefined", which no TOML reader accepts.
#
# Guess: `energy = 1e-12`, or 1.0e-12.
# Seen:  every number below 1e-6 with one significant digit gets ".undefined"; 2.5e-12 is right. The package cannot
#        read back what it wrote. Also 1.7e308's digits are grouped as 1.7_976_931..., which is valid.
# Who:   machine files with energies in joules and times in seconds (1e-12, 5e-9) that a page or script writes.
# Why right to expect: TOML 1.0: a float may have an exponent part without a fractional part. (Reported as issue 47 of
#        the project in 2022, for version 2.2.5, which writes "1e-11.0".)
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @iarna/toml@3.0.0

seen=$(node --input-type=module - <<'JS'
import TOML from "@iarna/toml";
for (const number of [1e-12, 5e-9, 2.5e-12, 1e-6]) {
    const text = TOML.stringify({ energy: number }).trim();
    let back;
    try {
        back = TOML.parse(text).energy === number ? "the same" : "another number";
    } catch (error) {
        back = "refused";
    }
    console.log(`${text} -> ${back}`);
}
JS
)
same "$seen" <<'EXPECTED'
energy = 1e-12.undefined -> refused
energy = 5e-9.undefined -> refused
energy = 2.5e-12 -> the same
energy = 0.000001 -> the same
EXPECTED

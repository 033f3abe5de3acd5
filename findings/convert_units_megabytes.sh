#!/usr/bin/env bash
# convert-units 2.3.4 (npm): 80 GB are 81,920 MB and 64 Gb are 65,536 Mb; its names for them are gigabytes and gigabits.
#
# Guess: 80,000 and 64,000, or two names for the two meanings.
# Seen:  every prefix of bits and bytes is 1024, also of bits a link carries; there is no KiB or GiB to ask for.
# Who:   sizes of memories and files of a data sheet, in a page or a script: a terabyte is 10 % too large.
# Why right to expect: IEC 80000-13 and the SI: kilo is 1000; the same package counts 1000 for kW, kHz and kPa.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages convert-units@2.3.4

seen=$(node --input-type=module - <<'JS'
import convert from "convert-units";
for (const [amount, from, to] of [[80, "GB", "MB"], [64, "Gb", "Mb"], [1, "TB", "GB"], [64, "GHz", "MHz"]])
    console.log(amount, from, "=", convert(amount).from(from).to(to), to);
console.log(...convert().possibilities("digital"), "|", convert().describe("GB").plural);
JS
)
same "$seen" <<'EXPECTED'
80 GB = 81920 MB
64 Gb = 65536 Mb
1 TB = 1024 GB
64 GHz = 64000 MHz
b Kb Mb Gb Tb B KB MB GB TB | Gigabytes
EXPECTED

#!/usr/bin/env bash
# pprof-format 2.3.2: the value -3 of a sample is read back as 18446744073709551613.
#
# Guess: values come back as they were written, negative ones, too.
# Seen:  they are written right and read as if they had no sign; so are labels, lines and the duration. Numbers beyond
#        2^53 come back as BigInt in the same column as others, which cannot be added to them. 1.5 is written as 1.
# Who:   differences of two profiles (what became faster is negative), freed bytes, labels such as an offset: the
#        largest entry is the one that shrank.
# Why right to expect: the schema says int64 for values, labels and lines, and the library that reads wrote the file.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages pprof-format@2.3.2

cat >profile.mjs <<'JS'
import { Label, Profile, Sample, StringTable, ValueType } from "pprof-format";

const stringTable = new StringTable();
const name = (text) => stringTable.dedup(text);
const profile = new Profile({
    stringTable,
    sampleType: [new ValueType({ type: name("saved"), unit: name("nanoseconds") })],
    sample: [5, -3, -(2 ** 40), 2 ** 53, 1.5].map((value) =>
        new Sample({ value: [value], label: [new Label({ key: name("offset"), num: -7 })] })),
    durationNanos: -5,
});
const bytes = profile.encode();
const read = Profile.decode(bytes);
for (const [at, { value, label }] of read.sample.entries())
    console.log(profile.sample[at].value[0], "->", typeof value[0], value[0], "label", label[0].num);
console.log("duration", read.durationNanos);
console.log("written again the same:", Buffer.compare(bytes, read.encode()) === 0);
JS
same "$(node profile.mjs)" <<'EXPECTED'
5 -> number 5 label 18446744073709551609n
-3 -> bigint 18446744073709551613n label 18446744073709551609n
-1099511627776 -> bigint 18446742974197923840n label 18446744073709551609n
9007199254740992 -> bigint 9007199254740992n label 18446744073709551609n
1.5 -> number 1 label 18446744073709551609n
duration 18446744073709551611n
written again the same: true
EXPECTED

#!/usr/bin/env bash
# hyparquet 1.33.0: two events 350 ns apart in a column of nanoseconds happen at the same time.
#
# Guess: a timestamp in nanoseconds keeps them, as a 64-bit integer, since a Date of JavaScript has milliseconds.
# Seen:  it is a Date, cut to milliseconds, without a word: all events within a millisecond are one, and differences are
#        0 or whole milliseconds. The same numbers as a time of day in nanoseconds come as integers and whole, and so do
#        those of a column without a type.
# Who:   traces of tasks, packets and requests in Parquet, whose events are nanoseconds apart.
# Why right to expect: the file states the unit, and the reader has exact integers for the neighbouring type.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages hyparquet@1.33.0 hyparquet-writer@0.17.0

seen=$(node --input-type=module - <<'JS'
import { parquetWriteBuffer } from "hyparquet-writer";
import { parquetReadObjects } from "hyparquet";
const events = [1000n, 1350n, 999999n, 1000000n];
const types = { timestamp: "TIMESTAMP", time_of_day: "TIME", integer: null };
const schema = [{ name: "root", num_children: 3 }];
for (const [name, type] of Object.entries(types)) {
    const logical_type = type ? { type, isAdjustedToUTC: true, unit: "NANOS" } : undefined;
    schema.push({ name, type: "INT64", repetition_type: "REQUIRED", logical_type });
}
const file = parquetWriteBuffer({ schema, columnData: Object.keys(types).map((name) => ({ name, data: events })) });
for (const { timestamp, time_of_day, integer } of await parquetReadObjects({ file }))
    console.log(timestamp.toISOString(), timestamp.getTime(), "ms,", time_of_day, integer);
JS
)
same "$seen" <<'EXPECTED'
1970-01-01T00:00:00.000Z 0 ms, 1000n 1000n
1970-01-01T00:00:00.000Z 0 ms, 1350n 1350n
1970-01-01T00:00:00.000Z 0 ms, 999999n 999999n
1970-01-01T00:00:00.001Z 1 ms, 1000000n 1000000n
EXPECTED

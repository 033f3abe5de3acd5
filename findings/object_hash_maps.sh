#!/usr/bin/env bash
# hash-sum 2.0.0, node-object-hash 3.1.1 (npm): maps and texts with commas that differ have one hash.
#
# Guess: different contents have different hashes.
# Seen:  hash-sum looks at an object's own properties, of which a Map, a Set and an ArrayBuffer have none: all maps are
#        equal. node-object-hash tells ["1,2"] and ["1", "2"], and a property and a text that looks like one, apart
#        only with coerce: false, and two ArrayBuffers never.
# Who:   keys of caches of results, made of designs: the result of another design is returned.
# Why right to expect: hash-sum is offered as a fast unique hash of any value; node-object-hash documents that types and
#        the order of a list do not count unless told, and nothing of texts.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages hash-sum@2.0.0 node-object-hash@3.1.1

seen=$(node --input-type=module - <<'JS'
import sum from "hash-sum";
import { hasher } from "node-object-hash";
const pairs = [
    ["numbers", { banks: 1e-12 }, { banks: 2e-12 }],
    ["maps", new Map([["banks", 16]]), new Map([["banks", 32]])],
    ["sets", new Set(["hbm"]), new Set(["ddr"])],
    ["buffers", new Float64Array([1]).buffer, new Float64Array([2]).buffer],
    ["typed arrays", new Float64Array([1]), new Float64Array([2])],
    ["lists of texts", ["1,2"], ["1", "2"]],
    ["texts", { kind: "a,name:b" }, { kind: "a", name: "b" }],
];
const loose = hasher(), strict = hasher({ coerce: false, sort: false });
for (const [name, one, other] of pairs) {
    const same = [sum, value => loose.hash(value), value => strict.hash(value)].map(
        hash => (hash({ design: one }) === hash({ design: other }) ? "same" : "different"));
    console.log(`${name}: hash-sum ${same[0]}, node-object-hash ${same[1]}, coerce and sort false ${same[2]}`);
}
JS
)
same "$seen" <<'EXPECTED'
numbers: hash-sum different, node-object-hash different, coerce and sort false different
maps: hash-sum same, node-object-hash different, coerce and sort false different
sets: hash-sum same, node-object-hash different, coerce and sort false different
buffers: hash-sum same, node-object-hash same, coerce and sort false same
typed arrays: hash-sum different, node-object-hash different, coerce and sort false different
lists of texts: hash-sum different, node-object-hash same, coerce and sort false different
texts: hash-sum different, node-object-hash same, coerce and sort false different
EXPECTED

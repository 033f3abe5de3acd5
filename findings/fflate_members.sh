#!/usr/bin/env bash
# fflate 0.8.3: gunzipSync of a gzip file with two members returns the first, cut to the length of the last.
#
# Guess: both members, as gzip, Node and fflate's own streams do, or an error.
# Seen:  only the first member is read, and cut to the length that the last four bytes of the file state. Of a trace
#        of 12 lines with one more appended, ten bytes are left; zeros at the end leave nothing. There is no error, and
#        no checksum is compared. A streaming Gunzip reads all members.
# Who:   request traces that are appended to, or written by parallel compressors, read on a page.
# Why right to expect: RFC 1952, 2.2: a gzip file consists of a series of members. fflate supports them in
#        streams since 0.8.0, and its `gunzipSync` names no limit. (Issue 207 of the project has padded files.)
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages fflate@0.8.3

{ echo "arrival_s,input_tokens,output_tokens"; seq -f '%g,100,20' 11; } >first
echo "12,100,20" >second
{ gzip -c first; gzip -c second; } >appended.gz
{ gzip -c second; gzip -c first; } >longer_last.gz
{ gzip -c first; head -c 512 /dev/zero; } >padded.gz
seen=$(node --input-type=module - <<'JS'
import { readFileSync } from "node:fs";
import { gunzipSync as ofNode } from "node:zlib";
import { Gunzip, gunzipSync } from "fflate";
const streamed = (bytes) => {
    let length = 0;
    new Gunzip((part) => (length += part.length)).push(bytes, true);
    return length;
};
for (const name of ["appended", "longer_last", "padded"]) {
    const bytes = readFileSync(name + ".gz");
    const got = gunzipSync(bytes);
    const stream = name === "padded" ? "" : `, streamed ${streamed(bytes)}`;
    console.log(`${name}: Node ${ofNode(bytes).length} bytes, fflate ${got.length}${stream};`,
        `equal to the beginning: ${ofNode(bytes).subarray(0, got.length).equals(Buffer.from(got))}`);
}
JS
)
same "$seen" <<'EXPECTED'
appended: Node 148 bytes, fflate 10, streamed 148; equal to the beginning: true
longer_last: Node 148 bytes, fflate 10, streamed 148; equal to the beginning: true
padded: Node 138 bytes, fflate 0; equal to the beginning: true
EXPECTED

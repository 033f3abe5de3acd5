#!/usr/bin/env bash
# @huggingface/gguf 0.4.6: buildGgufHeader pads a changed header to 32 bytes, whatever its general.alignment is.
#
# Guess: the header ends at a multiple of the alignment that its own metadata states.
# Seen:  a file with general.alignment = 64 may get a header of 224 bytes; the package's own reader then says that the
#        weights begin at 256. All weights are read 32 bytes too late, without an error.
# Who:   edits of metadata (a name, a template) in a model file with another alignment than 32.
# Why right to expect: the GGUF specification: general.alignment is the alignment to use, 32 if it is absent. The parser
#        of the package follows it. (The option `alignment` is 32 "by default", not by the file.)
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @huggingface/gguf@0.4.6

seen=$(node --input-type=module - <<'JS'
import { readFileSync, writeFileSync } from "node:fs";
import { GGUFValueType as is, buildGgufHeader, gguf, serializeGgufMetadata } from "@huggingface/gguf";

const read = (name) => gguf(name, { allowLocalFile: true, typedMetadata: true });
const weights = Buffer.from(Array.from({ length: 32 }, (_, block) => `block ${String(block).padStart(2)}`).join(""));
// A file of one tensor: metadata as the package writes it, one description, zeros up to a multiple of 64.
const metadata = {
    version: { value: 3, type: is.UINT32 }, tensor_count: { value: 1n, type: is.UINT64 },
    kv_count: { value: 3n, type: is.UINT64 },
    "general.architecture": { value: "llama", type: is.STRING },
    "general.alignment": { value: 64, type: is.UINT32 },
    "general.name": { value: "", type: is.STRING },
};
const described = Buffer.concat([Buffer.from([6, 0, 0, 0, 0, 0, 0, 0]), Buffer.from("output"),
    Buffer.from([1, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])]);
const padded = Buffer.from(serializeGgufMetadata(metadata, { littleEndian: true, alignment: 1 }));
const head = Buffer.concat([padded, described]);
writeFileSync("model.gguf", Buffer.concat([head, Buffer.alloc(-head.length & 63), weights]));

const begins = async (name) => {
    const offset = Number((await read(name)).tensorDataOffset);
    return `${name}: weights at ${offset}, which is ${readFileSync(name).subarray(offset, offset + 8)}`;
};
console.log(await begins("model.gguf"));
const { typedMetadata, tensorInfoByteRange, tensorDataOffset } = await read("model.gguf");
for (const length of [1, 30, 60]) {
    typedMetadata["general.name"].value = "x".repeat(length);
    const file = readFileSync("model.gguf");
    const header = await buildGgufHeader(new Blob([file]), typedMetadata, { littleEndian: true, tensorInfoByteRange });
    const bytes = Buffer.from(await header.arrayBuffer());
    writeFileSync("edited.gguf", Buffer.concat([bytes, file.subarray(Number(tensorDataOffset))]));
    console.log(`name of ${length}: header of ${bytes.length} bytes; ${await begins("edited.gguf")}`);
}
JS
)
same "$seen" <<'EXPECTED'
model.gguf: weights at 192, which is block  0
name of 1: header of 192 bytes; edited.gguf: weights at 192, which is block  0
name of 30: header of 224 bytes; edited.gguf: weights at 256, which is block  4
name of 60: header of 256 bytes; edited.gguf: weights at 256, which is block  0
EXPECTED

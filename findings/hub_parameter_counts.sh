#!/usr/bin/env bash
# @huggingface/hub 2.17.5: a 3-bit GPTQ matrix counts 15/16 of its parameters, an NVFP4 matrix of ModelOpt half of them.
#
# Guess: 16,384 parameters for a matrix of 128 x 128, whatever its format, as for 4-bit GPTQ and for bfloat16.
# Seen:  15,360 for 3 bits: an int32 is taken for floor(32/3) = 10 weights, though 32 weights fill three of them.
#        8,192 for NVFP4 as ModelOpt writes it: two weights in a byte count as one, though the same matrix in the
#        layout of compressed-tensors and gpt-oss's MXFP4 count in full.
# Who:   model sizes on a page or in a table of designs that come from `parseSafetensorsMetadata`.
# Why right to expect: GPTQ packs 3-bit weights without gaps, so a qweight has 3/32 of the matrix's rows; the
#        package's own source handles the other packed formats so that parameters are counted, not containers.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @huggingface/hub@2.17.5

seen=$(node --input-type=module - <<'JS'
import { parseSafetensorsMetadata } from "@huggingface/hub";

const WIDTH = { I32: 4, BF16: 2, F32: 4, U8: 1, F8_E4M3: 1 };
const count = async (config, tensors) => {
    let end = 0;
    const header = {};
    for (const [name, [dtype, shape]] of Object.entries(tensors)) {
        const begin = end;
        end += shape.reduce((product, extent) => product * extent, WIDTH[dtype]);
        header[name] = { dtype, shape, data_offsets: [begin, end] };
    }
    const text = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    const files = {
        "model.safetensors": Buffer.concat([length, text, Buffer.alloc(end)]),
        "config.json": Buffer.from(JSON.stringify({ quantization_config: config })),
    };
    // What the hub answers, from memory: whole files, heads and ranges.
    const fetch = async (url, { method, headers } = {}) => {
        const file = files[new URL(url).pathname.split("/").pop()];
        if (!file) return new Response("", { status: 404, headers: { "x-error-code": "EntryNotFound" } });
        const range = /bytes=(\d+)-(\d*)/.exec(new Headers(headers).get("range") ?? "");
        const [first, last] = range ? [+range[1], Math.min(+(range[2] || Infinity), file.length - 1)]
                                    : [0, file.length - 1];
        return new Response(method === "HEAD" ? null : file.subarray(first, last + 1), {
            status: range ? 206 : 200,
            headers: { etag: '"1"', "content-length": last + 1 - first,
                       "content-range": `bytes ${first}-${last}/${file.length}` },
        });
    };
    const { parameterCount } = await parseSafetensorsMetadata({ repo: "a/model", fetch, computeParametersCount: true });
    return Object.values(parameterCount).reduce((sum, one) => sum + one, 0);
};
const gptq = (bits) => [{ quant_method: "gptq", bits, group_size: 128 }, {
    "up.qweight": ["I32", [(128 * bits) / 32, 128]], "up.qzeros": ["I32", [1, (128 * bits) / 32]],
    "up.scales": ["BF16", [1, 128]], "up.g_idx": ["I32", [128]],
}];
const weights = { num_bits: 4, type: "float", group_size: 16 };
const groups = { group_0: { targets: ["Linear"], weights } };
console.log("bfloat16:", await count(undefined, { "up.weight": ["BF16", [128, 128]] }));
for (const bits of [4, 3]) console.log(`GPTQ, ${bits} bits:`, await count(...gptq(bits)));
console.log("NVFP4, compressed-tensors:", await count(
    { quant_method: "compressed-tensors", format: "nvfp4-pack-quantized", config_groups: groups },
    { "up.weight_packed": ["U8", [128, 64]], "up.weight_scale": ["F8_E4M3", [128, 8]],
      "up.weight_global_scale": ["F32", [1]] }));
console.log("NVFP4, ModelOpt:", await count(
    { quant_method: "modelopt", quant_algo: "NVFP4", config_groups: groups, ignore: ["lm_head"] },
    { "up.weight": ["U8", [128, 64]], "up.weight_scale": ["F8_E4M3", [128, 8]], "up.weight_scale_2": ["F32", []],
      "up.input_scale": ["F32", []] }));
JS
)
same "$seen" <<'EXPECTED'
bfloat16: 16384
GPTQ, 4 bits: 16384
GPTQ, 3 bits: 15360
NVFP4, compressed-tensors: 16384
NVFP4, ModelOpt: 8192
EXPECTED

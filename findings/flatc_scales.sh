#!/usr/bin/env bash
# FlatBuffers 2.0.8: flatc writes a float of 3.9e-7 into JSON as 0.0, and a double of 5.3e-12 as 0.000000000005.
#
# Guess: as many digits as read the number back.
# Seen:  six digits behind the point of a float and twelve of a double, never an exponent; so the JSON that flatc makes
#        of a file is another file if flatc reads it.
# Who:   scales of quantised weights (TFLite models are FlatBuffers), energies and times that are looked at, edited or
#        compared as JSON: small scales are 0.
# Why right to expect: the documentation offers JSON for conversion in both directions; large numbers and integers keep
#        all their digits.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian flatbuffers-compiler=2.0.8+dfsg1-2 libflatbuffers2=2.0.8+dfsg1-2

cat >weights.fbs <<'FBS'
table Weights { scale:float; joules:double; scales:[float]; seed:ulong; }
root_type Weights;
FBS
echo '{"scale": 3.9e-7, "joules": 5.3e-12, "scales": [0.00390625, 1.5e-8, 1e20], "seed": 18446744073709551615}' \
    >weights.json
flatc --binary weights.fbs weights.json
cp weights.bin first.bin
flatc --json --strict-json --raw-binary weights.fbs -- weights.bin
flatc --binary weights.fbs weights.json
seen=$(
    cat weights.json
    cmp -s first.bin weights.bin && echo "the same file again" || echo "another file"
)
same "$seen" <<'EXPECTED'
{
  "scale": 0.0,
  "joules": 0.000000000005,
  "scales": [
    0.003906,
    0.0,
    100000002004087734272.0
  ],
  "seed": 18446744073709551615
}
another file
EXPECTED

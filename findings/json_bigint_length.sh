#!/usr/bin/env bash
# json-bigint 1.0.0: 0.30000000000000004 is read as an object, and adding 1 to it gives the text "0.300000000000000041".
#
# Guess: integers beyond 2^53 are large integers, all else are numbers as in JSON.parse.
# Seen:  what counts is the length of the text: numbers of more than 15 characters become objects, with points and
#        exponents. In a column 0.1 is a number, 0.30000000000000004 and 3.9000000000000004e-12 are objects, whose +
#        joins texts. With useNativeBigInt they are an error, which names BigInt.
# Who:   results with 64-bit ids or seeds, for which one takes this parser: some joules and latencies of a column, those
#        with all their digits, are texts in sums, so that a total of 0.6 is a row of digits.
# Why right to expect: the page speaks of big integers only.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages json-bigint@1.0.0 bignumber.js@9.0.0

seen=$(node --input-type=module - <<'JS'
import JSONbig from "json-bigint";

for (const text of ["0.1", "0.30000000000000004", "3.9000000000000004e-12", "1234567.891", "9007199254740993"]) {
    const number = JSONbig.parse(text);
    console.log(text, typeof number, "plus 1:", typeof (number + 1), number + 1);
}
const joules = JSONbig.parse("[0.1, 0.2, 0.30000000000000004]");
console.log("sum", joules.reduce((sum, one) => sum + one));
try {
    console.log(JSONbig({ useNativeBigInt: true }).parse("0.30000000000000004"));
} catch (error) {
    console.log(error.message);
}
JS
)
same "$seen" <<'EXPECTED'
0.1 number plus 1: number 1.1
0.30000000000000004 object plus 1: string 0.300000000000000041
3.9000000000000004e-12 object plus 1: string 3.9000000000000004e-121
1234567.891 number plus 1: number 1234568.891
9007199254740993 object plus 1: string 90071992547409931
sum 0.300000000000000040.30000000000000004
Cannot convert 0.30000000000000004 to a BigInt
EXPECTED

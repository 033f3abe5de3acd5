#!/usr/bin/env bash
# JSONStream 1.3.5 (jsonparse 1.3.1): 9007199254740993 is a text, and -9007199254740993 a number that is off by one.
#
# Guess: both are the nearest double, as JSON.parse says.
# Seen:  a row of digits whose double prints otherwise is emitted as text, so that a column of ids has numbers and
#        texts. With a sign, a point or an exponent it is a number, rounded: 12345678901234567890.0 and the negative
#        ones. The page says that numbers too large for JavaScript come as texts, which those do not. The last digit
#        decides on the type: 2^53 is a number. What JSONStream.stringify writes of the texts has quotes.
# Who:   JSON lines of requests and of results with 64-bit ids, seeds and offsets: sorting, joining and === fail for
#        some rows; offsets, which may be negative, are silently another place.
# Why right to expect: one column, one type; and the page promises texts where digits would be lost.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages JSONStream@1.3.5 jsonparse@1.3.1

cat >read.cjs <<'JS'
const JSONStream = require("JSONStream");
const numbers = ["9007199254740992", "9007199254740993", "9007199254740994", "-9007199254740993",
    "12345678901234567890", "12345678901234567890.0", "5000000000"];
const found = [];
const stream = JSONStream.parse("*");
stream.on("data", (value) => found.push(value));
stream.on("end", () => found.forEach((value, at) => console.log(`${numbers[at]}: ${typeof value} ${value}`)));
stream.write(`[${numbers.join()}]`);
stream.end();
JS
same "$(node read.cjs)" <<'EXPECTED'
9007199254740992: number 9007199254740992
9007199254740993: string 9007199254740993
9007199254740994: number 9007199254740994
-9007199254740993: number -9007199254740992
12345678901234567890: string 12345678901234567890
12345678901234567890.0: number 12345678901234567000
5000000000: number 5000000000
EXPECTED

#!/usr/bin/env bash
# RcppTOML 0.2.2 (R): 3000000000 is read as -1294967296, 2^53 + 1 as 1, and the array [1, 2.5] as 1 and 2.
#
# Guess: what does not fit R's integers becomes a double or an error; a mixed array becomes numbers.
# Seen:  every integer keeps its last 32 bits, 2^63 - 1 is -1, and 2^31 is missing (NA). An array has the type of its
#        first element: [1, 2.5] loses the half, and [2.5, 1] is right. 5e-12, inf and nan are right.
# Who:   machine and space files that are read in R: capacities in bytes, rates a second and lists of values of a sweep.
#        Write 3e9 and [1.0, 2.5].
# Why right to expect: TOML 1.0.0: integers have 64 bits, an integer that cannot be represented is an error, and arrays
#        may mix types. The package says that it reads TOML 1.0.0.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
unpack_r r-cran-rcpptoml=0.2.2+dfsg-1 r-cran-rcpp=1.0.10-1

seen=$(r_script <<'R'
for (text in c("3000000000", "9007199254740993", "9223372036854775807", "2147483648", "3e9", "[1, 2.5]", "[2.5, 1]",
               "[1, 3000000000]", "5e-12", "inf")) {
    value <- RcppTOML::parseTOML(paste0("value = ", text, "\n"), fromFile = FALSE)$value
    cat(text, "->", format(value, digits = 15), "\n")
}
R
)
same "$seen" <<'EXPECTED'
3000000000 -> -1294967296 
9007199254740993 -> 1 
9223372036854775807 -> -1 
2147483648 -> NA 
3e9 -> 3e+09 
[1, 2.5] -> 1 2 
[2.5, 1] -> 2.5 1.0 
[1, 3000000000] ->           1 -1294967296 
5e-12 -> 5e-12 
inf -> Inf 
EXPECTED

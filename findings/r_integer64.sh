#!/usr/bin/env bash
# data.table 1.14.8 with bit64 4.0.5 (R): cycles beyond 2^31 have a standard deviation of 0 and a mean without its half.
#
# Guess: statistics of a column that fread read as 64-bit integers are those of the same column as numbers.
# Seen:  fread makes such a column an integer64, whose bits R's own functions take for a double: var and the sd of a
#        group are 0, cor and tapply are of other numbers. bit64's own functions return integers: the mean of 5000000001
#        and 5000000002 is 5000000001, in a group 5000000002, and half of 3 is 2.
# Who:   cycles, bytes and addresses of simulators in R. Whether a column is one depends on its largest value, so the
#        same script is right for small runs. `fread(..., integer64 = "double")` is right up to 2^53.
# Why right to expect: nothing warns: the column prints as it should, and mean, sum, min and max work.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
unpack_r r-cran-data.table=1.14.8+dfsg-1 r-cran-bit64=4.0.5-1 r-cran-bit=4.0.5-1

seen=$(r_script <<'R'
suppressMessages({ library(data.table); library(bit64) })
for (type in c("integer64", "double")) {
    runs <- fread(integer64 = type, text = "size,cycles\n1,5000000001\n1,5000000002\n2,5000000004\n2,5000000008")
    cat(type, "\n", sep = "")
    one <- runs[size == 1]$cycles
    show <- function(name, value) cat(paste0("  ", name, ":"), format(value, digits = 12), "\n")
    show("mean of the first two", mean(one))
    show("median of them", median(one))
    show("variance", var(one))
    show("correlation with 1 to 4", cor(runs$cycles, 1:4))
    show("mean of each size by tapply", tapply(runs$cycles, runs$size, mean))
    show("half of 3", fread(integer64 = type, text = "x\n3\n5000000000")$x[1] * 0.5)
    print(runs[, .(mean = mean(cycles), sd = sd(cycles)), by = size], digits = 12)
}
R
)
same "$seen" <<'EXPECTED'
integer64
  mean of the first two: 5000000001 
  median of them: 5000000002 
  variance: 0 
  correlation with 1 to 4: 1 
  mean of each size by tapply: 2.47032822970e-314 2.47032823217e-314 
  half of 3: 2 
   size       mean sd
1:    1 5000000002  0
2:    2 5000000006  0
double
  mean of the first two: 5000000001.5 
  median of them: 5000000001.5 
  variance: 0.5 
  correlation with 1 to 4: 0.959166304663 
  mean of each size by tapply: 5000000001.5 5000000006.0 
  half of 3: 1.5 
   size         mean             sd
1:    1 5000000001.5 0.707106781187
2:    2 5000000006.0 2.828427124746
EXPECTED

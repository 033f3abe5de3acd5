#!/usr/bin/env bash
# emoa 0.5-0.1 (R): with two objectives the ends of a front contribute 1.8e308, whatever reference point is given.
#
# Guess: the area that only this point covers up to the reference point (5, 5): 1, 2 and 2 of 12.
# Seen:  the first and the last point of a front of two objectives get the largest double; the reference counts only
#        for the others. With a third objective that is equal for all it is 1, 2 and 2.
# Who:   selection by contribution (SMS-EMOA), and reports of how much a design adds to a front: sums of contributions
#        overflow, and an end that adds little is never dropped.
# Why right to expect: the value is documented as the volume that is dominated by that point alone, and ref as the
#        reference point; dominated_hypervolume beside it gives 12, and less without each point by 1, 2 and 2.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
unpack_r r-cran-emoa=0.5-0.1-1+b1

seen=$(
    r_script <<'R'
suppressMessages(library(emoa))
front <- cbind(c(1, 4), c(2, 2), c(3, 1))
for (reference in list(c(5, 5), c(100, 100))) {
    all <- dominated_hypervolume(front, reference)
    less <- sapply(1:3, function(point) dominated_hypervolume(front[, -point], reference))
    cat("reference", reference, "\n  covered", all, "\n  less without each point", all - less, "\n")
    cat("  contributions", format(hypervolume_contribution(front, reference), digits = 4), "\n")
    cat("  with a third objective", hypervolume_contribution(rbind(front, 1), c(reference, 2)), "\n")
}
R
)
same "$seen" <<'EXPECTED'
reference 5 5 
  covered 12 
  less without each point 1 2 2 
  contributions 1.798e+308  2.000e+00 1.798e+308 
  with a third objective 1 2 2 
reference 100 100 
  covered 9797 
  less without each point 96 2 97 
  contributions 1.798e+308  2.000e+00 1.798e+308 
  with a third objective 96 2 97 
EXPECTED

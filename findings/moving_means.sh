#!/usr/bin/env bash
# Bottleneck 1.3.5, zoo 1.8-11, TTR 0.24.3: after an infinite latency all later moving means are NaN, after 1e16 0.
#
# Guess: a mean of two numbers depends on two numbers: from the window after infinity on it is 1 again.
# Seen:  each keeps a sum, adds what enters and subtracts what leaves the window: infinity less infinity is NaN, and the
#        ones that 1e16 swallowed do not come back. zoo's rollapply(x, 2, mean) does the same as its rollmean. caTools
#        1.18.2 leaves infinities out, as if they were missing. RcppRoll 0.3.0 and data.table 1.14.8 are right.
# Who:   throughputs and latencies over time or over rates, smoothed: one saturated point spoils all that follow.
# Why right to expect: the texts define a mean over the window. zoo's warns of NA alone, and NaN there leaves the
#        window.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
unpack_r r-cran-zoo=1.8-11-1 r-cran-lattice=0.20-45-3 r-cran-xts=0.13.0-1 r-cran-ttr=0.24.3-1+b1 \
    r-cran-curl=5.0.0+dfsg-1 r-cran-catools=1.18.2-1+b1 r-cran-bitops=1.0-7-1 r-cran-rcpproll=0.3.0-2 \
    r-cran-rcpp=1.0.10-1 r-cran-data.table=1.14.8+dfsg-1 python3-bottleneck=1.3.5+ds1-2+b1

seen=$(
    /usr/bin/python3 -B - <<'PY'
import bottleneck, numpy
for large in (numpy.inf, 1e16, numpy.nan):
    print(f"Bottleneck, {large}:", *bottleneck.move_mean(numpy.array([1, large, 1, 1, 1, 1]), 2))
PY
    r_script <<'R'
suppressMessages({ library(zoo); library(TTR); library(caTools); library(RcppRoll); library(data.table) })
for (large in c(Inf, 1e16)) {
    times <- c(1, large, 1, 1, 1, 1)
    show <- function(name, means) cat(name, ", ", large, ": ", paste(means, collapse = " "), "\n", sep = "")
    show("zoo rollmean", rollmean(times, 2))
    show("zoo rollapply", rollapply(times, 2, mean))
    show("TTR SMA", SMA(times, 2))
    show("caTools", runmean(times, 2, endrule = "trim"))
    show("RcppRoll", roll_mean(times, 2))
    show("data.table", frollmean(times, 2, algo = "exact"))
}
R
)
same "$seen" <<'EXPECTED'
Bottleneck, inf: nan inf inf nan nan nan
Bottleneck, 1e+16: nan 5000000000000000.0 5000000000000000.0 0.0 0.0 0.0
Bottleneck, nan: nan nan nan 1.0 1.0 1.0
zoo rollmean, Inf: Inf Inf NaN NaN NaN
zoo rollapply, Inf: Inf Inf NaN NaN NaN
TTR SMA, Inf: NA Inf Inf NaN NaN NaN
caTools, Inf: 1 1 1 1 1
RcppRoll, Inf: Inf Inf 1 1 1
data.table, Inf: NA Inf Inf 1 1 1
zoo rollmean, 1e+16: 5e+15 5e+15 0 0 0
zoo rollapply, 1e+16: 5e+15 5e+15 0 0 0
TTR SMA, 1e+16: NA 5e+15 5e+15 0 0 0
caTools, 1e+16: 5e+15 5e+15 1 1 1
RcppRoll, 1e+16: 5e+15 5e+15 1 1 1
data.table, 1e+16: NA 5e+15 5e+15 1 1 1
EXPECTED

#!/usr/bin/env bash
# mathjs 15.2.0: the larger of 1 fJ and 2 fJ is 1 fJ, and the times 3, 1 and 2 fs are sorted as 1, 3, 2.
#
# Guess: 2 fJ; 1e-16 and 9e-16 differ; the times 3, 1 and 2 fs are sorted.
# Seen:  numbers whose difference is below 1e-15 are equal, whatever they are, and quantities are compared in SI units.
#        So max, min, sort and median return any of several energies in fJ or times in fs. floor(1 - 1e-13) is 1, by the
#        relative tolerance.
# Who:   energies of an operation or a bit, and clock jitter, in a page or script with units. The option absTol: 0
#        leaves only the relative tolerance of 1e-12.
# Why right to expect: a comparison of quantities does not depend on the unit that the package converts to inside. The
#        options absTol and relTol are described for == and <, not for max, sort and median.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages mathjs@15.2.0

seen=$(node --input-type=module - <<'JS'
import { all, create } from "mathjs";
const show = (name, math) => {
    console.log(name);
    for (const text of ["1 fJ == 2 fJ", "max(1 fJ, 2 fJ)", "sort([3 fs, 1 fs, 2 fs])", "max(1 pJ, 2 pJ)",
        "median(9e-16, 1e-16, 5e-16)", "floor(1 - 1e-13)"])
        console.log(`  ${text} = ${math.evaluate(text)}`);
};
show("as it is", create(all));
show("with absTol: 0", create(all, { absTol: 0 }));
JS
)
same "$seen" <<'EXPECTED'
as it is
  1 fJ == 2 fJ = true
  max(1 fJ, 2 fJ) = 1 fJ
  sort([3 fs, 1 fs, 2 fs]) = [1 fs, 3 fs, 2 fs]
  max(1 pJ, 2 pJ) = 2 pJ
  median(9e-16, 1e-16, 5e-16) = 9e-16
  floor(1 - 1e-13) = 1
with absTol: 0
  1 fJ == 2 fJ = false
  max(1 fJ, 2 fJ) = 2 fJ
  sort([3 fs, 1 fs, 2 fs]) = [1 fs, 2 fs, 3 fs]
  max(1 pJ, 2 pJ) = 2 pJ
  median(9e-16, 1e-16, 5e-16) = 5e-16
  floor(1 - 1e-13) = 1
EXPECTED

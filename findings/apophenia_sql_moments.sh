#!/usr/bin/env bash
# Apophenia 1.0: the variance of 1000000001, ..2, ..4 and ..9 is 0 in SQL and 12.7 in C; the kurtosis of 1, 2, 4 and 9
# is 522 in SQL and 321 in C.
#
# Guess: the function kurt() that the library adds to SQL is the function of the same name of its vectors.
# Seen:  var agrees for small numbers; for large ones the sums of squares cancel, so that the variance is 0 and the
#        fourth moment is negative. The kurtosis is corrected for small samples in two ways. All of C's agree.
# Who:   latencies as times since a start, or bytes, of runs in a database: that they do not vary at all is what one
#        hoped for.
# Why right to expect: the manual offers SQL and vectors as two ways to one result, and lists one function for each.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs gcc libsqlite3-0
debian libapophenia2=1.0+ds-8+b3 libapophenia2-dev=1.0+ds-8+b3 libgsl27=2.7.1+dfsg-5+deb12u1 \
    libgslcblas0=2.7.1+dfsg-5+deb12u1 libgsl-dev=2.7.1+dfsg-5+deb12u1 libmariadb3

cat >moments.c <<'C'
#include <apop.h>
static void moments(char const* table, double* numbers) {
    apop_query("create table %s (a);", table);
    for (int i = 0; i < 4; ++i) apop_query("insert into %s values (%.17g);", table, numbers[i]);
    gsl_vector_view const view = gsl_vector_view_array(numbers, 4);
    printf("%s in C: var %.6g skew %.6g kurt %.6g\n", table, apop_vector_var((gsl_vector*)&view.vector),
           apop_vector_skew(&view.vector), apop_vector_kurtosis(&view.vector));
    printf("%s in SQL: var %.6g skew %.6g kurt %.6g\n", table, apop_query_to_float("select var(a) from %s", table),
           apop_query_to_float("select skew(a) from %s", table), apop_query_to_float("select kurt(a) from %s", table));
}
int main(void) {
    moments("small", (double[]){1, 2, 4, 9});
    moments("large", (double[]){1000000001, 1000000002, 1000000004, 1000000009});
}
C
library=unpacked/usr/lib/x86_64-linux-gnu
gcc -O1 -w -Iunpacked/usr/include moments.c -o moments $library/libapophenia.so $library/libgsl.so \
    $library/libgslcblas.so -lm -Wl,--unresolved-symbols=ignore-in-shared-libs
same "$(./moments)" <<'EXPECTED'
small in C: var 12.6667 skew 60 kurt 320.889
small in SQL: var 12.6667 skew 60 kurt 522.161
large in C: var 12.6667 skew 60 kurt 320.889
large in SQL: var 0 skew 1.46602e+12 kurt -2.15036e+21
EXPECTED

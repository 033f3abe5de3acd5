#!/usr/bin/env bash
# json-c 0.16: 20000000000000000000 is read and written as 18446744073709551615, without an error.
#
# Guess: refused, or a double, as most readers of JSON do.
# Seen:  integers are cut to the range of 64 bits, so that different numbers become equal and a file that is read and
#        written changes. A double keeps its text to the last digit, even 1e400.
# Who:   seeds and identifiers of 128 bits, and sizes as digits, read in C.
# Why right to expect: RFC 8259 lets a reader set limits; other readers report them, this one says success.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs gcc
debian libjson-c-dev=0.16-2

cat >integers.c <<'C'
#include <json-c/json.h>
#include <stdio.h>
int main(void) {
    const char* texts[] = {"18446744073709551615", "20000000000000000000", "340282366920938463463374607431768211455",
                           "-10000000000000000000", "20000000000000000000.0", "123456789.1234567891", "1e400"};
    for (int i = 0; i < 7; ++i) {
        enum json_tokener_error error;
        json_object* number = json_tokener_parse_verbose(texts[i], &error);
        printf("%s: %s, %s, %s\n", texts[i], json_object_to_json_string(number),
               json_type_to_name(json_object_get_type(number)), json_tokener_error_desc(error));
    }
    return 0;
}
C
gcc -O1 -Iunpacked/usr/include integers.c -o integers -Lunpacked/usr/lib/x86_64-linux-gnu -l:libjson-c.a
same "$(./integers)" <<'EXPECTED'
18446744073709551615: 18446744073709551615, int, success
20000000000000000000: 18446744073709551615, int, success
340282366920938463463374607431768211455: 18446744073709551615, int, success
-10000000000000000000: -9223372036854775808, int, success
20000000000000000000.0: 20000000000000000000.0, double, success
123456789.1234567891: 123456789.1234567891, double, success
1e400: 1e400, double, success
EXPECTED

#!/usr/bin/env bash
# babeltrace2 2.0.4: 16,777,217 bytes in a CTF trace are printed as 1.67772e+07, and 1,000,000,001 as 1e+09.
#
# Guess: a double is printed with the digits that tell it from its neighbours, as integers are.
# Seen:  every floating-point field has six digits. Integers of 64 bits are printed in full. Two reads a cycle apart at
#        3 GHz have one time, since times are whole nanoseconds; --clock-cycles tells them apart.
# Who:   traces of accelerators and simulators in the Common Trace Format, turned into text for awk or a table: sums of
#        bytes and energies, and differences of times in seconds, are wrong from the seventh digit on.
# Why right to expect: the text sink is what scripts read.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3
debian babeltrace2=2.0.4-1+b6 libbabeltrace2-0=2.0.4-1+b6
export LIBBABELTRACE2_PLUGIN_PROVIDER_DIR=$work/unpacked/usr/lib/x86_64-linux-gnu/babeltrace2/plugin-providers
export BABELTRACE_PLUGIN_PATH=$work/unpacked/usr/lib/x86_64-linux-gnu/babeltrace2/plugins

/usr/bin/python3 -B - <<'PY'
import os, struct
os.mkdir("trace")
integer = "integer { size = %d; align = 8; signed = false; %s}"
open("trace/metadata", "w").write(f"""/* CTF 1.8 */
trace {{ major = 1; minor = 8; byte_order = le; packet.header := struct {{ {integer % (32, "")} magic; }}; }};
clock {{ name = core; freq = 3000000000; }};
stream {{
    event.header := struct {{ {integer % (64, "map = clock.core.value; ")} timestamp; }};
    packet.context := struct {{ {integer % (64, "")} content_size; {integer % (64, "")} packet_size; }};
}};
event {{
    name = "read";
    fields := struct {{
        floating_point {{ exp_dig = 11; mant_dig = 53; align = 8; byte_order = le; }} bytes;
        {integer % (64, "")} address;
    }};
}};
""")
events = b"".join(struct.pack("<QdQ", cycle, size, 2**53 + 1)
                  for cycle, size in ((1, 16777217), (2, 1000000001), (3, 0.25)))
size = 8 * (20 + len(events))
open("trace/stream", "wb").write(struct.pack("<IQQ", 0xC1FC1FC1, size, size) + events)
PY
seen=$(babeltrace2 --clock-seconds trace; babeltrace2 --clock-cycles trace | cut -d' ' -f1)
same "$seen" <<'EXPECTED'
[0.000000000] (+?.?????????) read: { bytes = 1.67772e+07, address = 9007199254740993 }
[0.000000000] (+0.000000000) read: { bytes = 1e+09, address = 9007199254740993 }
[0.000000001] (+0.000000001) read: { bytes = 0.25, address = 9007199254740993 }
[00000000000000000001]
[00000000000000000002]
[00000000000000000003]
EXPECTED

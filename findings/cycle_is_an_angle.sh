#!/usr/bin/env bash
# Pint 0.19.2 and UDUNITS 2.2.28: a bus of 64 bytes a cycle at 1 GHz carries 10.2 GB/s.
#
# Guess: "64 byte/cycle" times "1 GHz" is 64 GB/s, or `cycle` is unknown and refused.
# Seen:  both know `cycle` as another name of a turn, 2 pi radians, and both count radians as the number 1. So the
#        product divides by 2 pi without a word, and 1,000 cycles at 1 GHz take 6.28 us.
# Who:   whoever checks bandwidths and latencies of a data sheet (bytes a cycle, cycles a burst) with these libraries.
#        `byte/clock` is refused; leave `cycle` out of the unit.
# Why right to expect: the SI keeps the hertz for periodic phenomena (SI brochure, 9th edition, table 4); a period of a
#        clock is a cycle of it. The definitions are in Pint's default_en.txt and in UDUNITS' units of common use.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-pint=0.19.2-1 udunits-bin=2.2.28-5 libudunits2-0=2.2.28-5 libudunits2-data=2.2.28-5
export UDUNITS2_XML_PATH=$work/unpacked/usr/share/xml/udunits/udunits2.xml

seen=$(
    /usr/bin/python3 -B - <<'PY'
from pint import UnitRegistry
of = UnitRegistry().Quantity
bus = of(64, "byte/cycle") * of(1, "GHz")
print(f"Pint: 64 byte/cycle * 1 GHz = {bus.to('GB/s'):.3f}")
print(f"Pint: 1000 cycle / 1 GHz = {(of(1000, 'cycle') / of(1, 'GHz')).to('us'):.3f}")
PY
    echo "UDUNITS: $(udunits2 -H '64 byte GHz/cycle' -W 'Gbyte/s' | grep -o '64 .*Gbyte/s$')"
)
same "$seen" <<'EXPECTED'
Pint: 64 byte/cycle * 1 GHz = 10.186 gigabyte / second
Pint: 1000 cycle / 1 GHz = 6.283 microsecond
UDUNITS: 64 byte GHz/cycle = 10.1859 Gbyte/s
EXPECTED

#!/usr/bin/env bash
# GNU units 2.22, Pint 0.19.2, UDUNITS 2.2.28: "64 Gb/s" is a current, a magnetic unit, an area; it is never bits.
#
# Guess: GNU units, which knows data sizes, reads gigabits a second; Pint and UDUNITS refuse b or read it as barn.
# Seen:  in GNU units and Pint Gb is the gilbert of magnetism: 50.9 A/s in one, gilbert/second in the other. UDUNITS
#        reads gigabarn: 6.4e-18 m2/s. A lone b is a bar in GNU units. Only a conversion to bits shows the mistake.
# Who:   whoever enters the rates of links as data sheets print them: an x16 link of 512 Gb/s has no error until a unit
#        is asked for. `Gbit/s` is right in GNU units and Pint.
# Why right to expect: b is the symbol of the bit in IEEE 1541, and all data sheets of links print Gb/s.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-pint=0.19.2-1 udunits-bin=2.2.28-5 libudunits2-0=2.2.28-5 libudunits2-data=2.2.28-5 units=2.22-2
export UDUNITS2_XML_PATH=$work/unpacked/usr/share/xml/udunits/udunits2.xml
grep -v '^!include' unpacked/usr/share/units/definitions.units >definitions.units

seen=$(
    for text in '64 Gb/s' '1 b' '64 Gbit/s'; do
        echo "GNU units: $text = $("$work"/unpacked/usr/bin/units -f definitions.units -t "$text")"
    done
    /usr/bin/python3 -B - <<'PY'
from pint import UnitRegistry
of = UnitRegistry().Quantity
print("Pint: 64 Gb/s =", of("64 Gb/s"))
print("Pint: 64 Gbit/s =", of("64 Gbit/s").to("GB/s"))
PY
    echo "UDUNITS: $(udunits2 -H '64 Gb/s' -W 'm2/s' | grep -o '64 .*m2/s$')"
)
same "$seen" <<'EXPECTED'
GNU units: 64 Gb/s = 50.929582 A / s
GNU units: 1 b = 100000 kg / m s^2
GNU units: 64 Gbit/s = 6.4e+10 bit / s
Pint: 64 Gb/s = 64.0 gilbert / second
Pint: 64 Gbit/s = 8.0 gigabyte / second
UDUNITS: 64 Gb/s = 6.4e-18 m2/s
EXPECTED

#!/usr/bin/env bash
# GNU units 2.22, Pint 0.19.2, UDUNITS 2.2.28: 9.2 Gbit/s/pin is a rate for each 20 litres, or for each picoinch.
#
# Guess: pin, access, cell and beat are unknown, as lane, bank, core, token and op are.
# Seen:  in GNU units a pin is a cask of 4.5 gallons, an access an attocubic centimetre (the s is taken for a plural), a
#        cell a hundredth of an ell, and a beat 86.4 s of decimal time. In Pint and UDUNITS a pin is a picoinch. The
#        quotient is accepted; after a multiplication by 1024 (pins) it is still one by volume or length.
# Who:   whoever checks a data sheet's Gbit/s/pin, pJ/access, fJ/cell or bytes/beat with these programs. Leave the word
#        out of the unit: 9.2 Gbit/s * 1024 is right.
# Why right to expect: each program refuses words that it does not know, so that the others look understood.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-pint=0.19.2-1 udunits-bin=2.2.28-5 libudunits2-0=2.2.28-5 libudunits2-data=2.2.28-5 units=2.22-2
export UDUNITS2_XML_PATH=$work/unpacked/usr/share/xml/udunits/udunits2.xml
grep -v '^!include' unpacked/usr/share/units/definitions.units >definitions.units

seen=$(
    for text in "9.2 Gbit/s/pin" "5 pJ/access" "3 fJ/cell" "64 bytes/beat" "5 pJ/op"; do
        echo "GNU units: $text = $("$work"/unpacked/usr/bin/units -f definitions.units -t "$text" 2>&1)"
    done
    /usr/bin/python3 -B -W ignore - <<'PY'
import pint
units = pint.UnitRegistry()
for text in ("9.2 Gbit/s/pin", "1 Gbit/s/lane"):
    try:
        print(f"Pint: {text} = {units(text).to_base_units():.3g}")
    except pint.UndefinedUnitError as error:
        print(f"Pint: {text}: {error}")
PY
    for word in pin lane; do echo "UDUNITS: $(udunits2 -H "1 $word" -W m 2>&1 </dev/null | grep -m1 "$word")"; done
)
same "$seen" <<'EXPECTED'
GNU units: 9.2 Gbit/s/pin = 4.4971491e+11 bit / m^3 s
GNU units: 5 pJ/access = 5e+12 kg / m s^2
GNU units: 3 fJ/cell = 2.6246765e-13 kg m / s^2
GNU units: 64 bytes/beat = 5.9259259 bit / s
GNU units: 5 pJ/op = Unknown unit 'op'
Pint: 9.2 Gbit/s/pin = 3.62e+23 bit / meter / second
Pint: 1 Gbit/s/lane: 'lane' is not defined in the unit registry
UDUNITS:     1 pin = 2.54e-14 m
UDUNITS: udunits2: Don't recognize "lane"
EXPECTED

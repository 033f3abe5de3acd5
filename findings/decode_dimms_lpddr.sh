#!/usr/bin/env bash
# decode-dimms of i2c-tools 4.3: an LPDDR4X package with tRCD 18 ns has tRCD 0 and tRAS 274 ns; 12 Gb dies have 64 Gb.
#
# Guess: what it calls "LPDDR4X SDRAM" is decoded as such, or not at all, as DDR5 is.
# Seen:  it is read with the layout of DDR4, without a warning and with correct checksums: tRP of all banks and of one
#        (21 and 18 ns) become tRAS, tRCD becomes tRP, refresh of 280 ns becomes 3073 ns. The four channels of byte 13
#        are ignored, so that 8 GiB are 2048 MB. Densities of 12 and 24 Gb, codes 8 and 9, are 64 and 128 Gb.
# Who:   latencies and capacities of LPDDR parts that go from a laptop's or a firmware's SPD into a memory model.
# Why right to expect: Annex M of JEDEC standard 21-C (LPDDR3 and LPDDR4) puts tRCD in byte 26, tRP of all banks in 27,
#        that of one in 28 and refresh in 29 to 32; DDR4 is Annex L. The tool knows the type, since it names it.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs perl
debian i2c-tools=4.3-2+b3

# code of the density: an SPD of LPDDR4X-4267, four channels of 16 bits, two ranks, as `decode-dimms -x` reads it
spd() {
    perl -e '
        my @bytes = (0) x 512;
        my %set = (0 => 0x23, 1 => 0x11, 2 => 0x11, 3 => 0x0e, 4 => 0x10 | shift, 5 => 0x21, 6 => 0xb4, 7 => 8,
                   12 => 0x0a, 13 => 0x61, 18 => 4, 19 => 0xff, 20 => 0x92, 21 => 0x55, 22 => 5, 24 => 0x87,
                   26 => 144, 27 => 168, 28 => 144, 29 => 0xc0, 30 => 8, 31 => 0x60, 32 => 4, 123 => 0xe5,
                   125 => 0xe0);
        $bytes[$_] = $set{$_} for keys %set;
        my $sum = 0;
        for my $byte (@bytes[0 .. 125]) {
            $sum ^= $byte << 8;
            $sum = ($sum << 1 ^ ($sum & 0x8000 ? 0x1021 : 0)) & 0xffff for 1 .. 8;
        }
        @bytes[126, 127] = ($sum & 255, $sum >> 8);
        printf "%03x: %s\n", $_, join " ", map { sprintf "%02x", $_ } @bytes[$_ .. $_ + 15] for map { 16 * $_ } 0 .. 31;
    ' "$1"
}
decoded() {
    spd "$1" >spd.txt
    decode-dimms -x spd.txt 2>/dev/null | grep -E "$2" | sed 's/  \+/: /'
}
seen=$(
    decoded 5 'bytes 0-125|memory type|Maximum module speed|^Size|t(RCD|RP|RAS)\)|tRFC1'
    for code in 8 9; do echo "density code $code: $(decoded $code '^Size')"; done
)
same "$seen" <<'EXPECTED'
EEPROM CRC of bytes 0-125: OK (0x185A)
Maximum module speed: 4273 MT/s (PC4-8500)
Size: 2048 MB
Minimum RAS to CAS Delay (tRCD): 0.000 ns
Minimum Row Precharge Delay (tRP): 18.000 ns
Minimum Active to Precharge Delay (tRAS): 274.000 ns
Minimum Recovery Delay (tRFC1): 3073.000 ns
density code 8: Size: 16384 MB
density code 9: Size: 32768 MB
EXPECTED

#!/usr/bin/env bash
# GHDL 2.0.0: VHDL whose -7 mod 3 is 2 and -7 / 3 is -2 becomes Verilog in which they are 0 and 83.
#
# Guess: `ghdl --synth --out=verilog` writes a design that behaves as the VHDL does when GHDL runs it.
# Seen:  mod, rem and / of signed numbers are written as % and / of unsigned ones ("a % b; // smod"), shift_right as >>,
#        which brings in zeros: -4 becomes 124. Products and comparisons have their $signed and are right. No warning.
# Who:   address generators, quantisers and averaging filters in VHDL, simulated with Verilator or mapped with other
#        Verilog tools: negative numbers give wrong results only there.
# Why right to expect: the comment beside each operator shows that it is known to be signed; in Verilog -7 / 3 is -2 and
#        $signed(a) >>> 1 is -4. (Issues 2750 and 2751 of the project, of 2024.)
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs libgnat-12
debian ghdl-mcode=2.0.0+dfsg-6.2+b2 ghdl-common=2.0.0+dfsg-6.2+b2 iverilog=11.0-1.1+b1
library=$work/unpacked/usr/lib/x86_64-linux-gnu/ivl

cat >signs.vhd <<'VHDL'
library ieee;
use ieee.std_logic_1164.all, ieee.numeric_std.all;
entity signs is
    port (a, b : in signed(7 downto 0); m, r, q, h, p : out signed(7 downto 0); less : out std_logic);
end;
architecture plain of signs is begin
    m <= a mod b;
    r <= a rem b;
    q <= a / b;
    h <= shift_right(a, 1);
    p <= resize(a * b, 8);
    less <= '1' when a < b else '0';
end;
VHDL
cat >bench.vhd <<'VHDL'
library ieee;
use ieee.std_logic_1164.all, ieee.numeric_std.all;
entity bench is end;
architecture plain of bench is
    signal a : signed(7 downto 0) := to_signed(-7, 8);
    signal b : signed(7 downto 0) := to_signed(3, 8);
    signal m, r, q, h, p : signed(7 downto 0);
    signal less : std_logic;
    function text(x : signed) return string is begin return " " & integer'image(to_integer(x)); end;
begin
    d : entity work.signs port map (a, b, m, r, q, h, p, less);
    process begin
        wait for 1 ns;
        report "mod rem / half product less:" & text(m) & text(r) & text(q) & text(h) & text(p) & " " &
            std_logic'image(less);
        wait;
    end process;
end;
VHDL
cat >bench.v <<'VERILOG'
module bench;
    reg signed [7:0] a = -7, b = 3;
    wire signed [7:0] m, r, q, h, p;
    wire less;
    signs d(.a(a), .b(b), .m(m), .r(r), .q(q), .h(h), .p(p), .less(less));
    initial #1 $display("mod rem / half product less: %0d %0d %0d %0d %0d '%b'", m, r, q, h, p, less);
endmodule
VERILOG
export GHDL_PREFIX=$work/unpacked/usr/lib/ghdl/mcode
seen=$(
    ghdl-mcode -a --std=08 signs.vhd bench.vhd
    echo "VHDL: $(ghdl-mcode -r --std=08 bench 2>&1 | sed 's/.*(report note): //')"
    ghdl-mcode --synth --std=08 --out=verilog signs >signs.v
    iverilog -B "$library" -o signs.vvp bench.v signs.v
    echo "Verilog: $(vvp -M "$library" signs.vvp)"
)
same "$seen" <<'EXPECTED'
VHDL: mod rem / half product less: 2 -1 -2 -4 -21 '1'
Verilog: mod rem / half product less: 0 0 83 124 -21 '1'
EXPECTED

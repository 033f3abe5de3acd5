#!/usr/bin/env bash
# lua-cjson 2.1.0 and dkjson 2.6: the address 1099511627776123 is written as 1.0995116277761e+15.
#
# Guess: integers below 2^53 are written with all their digits, since Lua's numbers hold them.
# Seen:  14 significant digits: two addresses become one, and what was read is not what is written. 1/3 loses two
#        digits. cjson also reads 0x10 as 16, which is no JSON.
# Who:   scripts of Lua in simulators and load generators that pass requests or results on as JSON lines: ids, seeds,
#        addresses and time stamps in nanoseconds. cjson.encode_number_precision takes at most 14, and dkjson has no
#        such setting: pass them as texts.
# Why right to expect: the reader of both is exact, and all other JSON libraries write an integer that they read.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian lua-cjson=2.1.0+dfsg-2.2 lua-dkjson=2.6-2 lua5.1=5.1.5-9 liblua5.1-0=5.1.5-9
export LUA_PATH="$work/unpacked/usr/share/lua/5.1/?.lua"
export LUA_CPATH="$work/unpacked/usr/lib/x86_64-linux-gnu/lua/5.1/?.so"

cat >digits.lua <<'LUA'
local libraries = {cjson = require "cjson", dkjson = require "dkjson"}
for _, name in ipairs {"cjson", "dkjson"} do
    local library = libraries[name]
    local read = library.decode "[1099511627776123, 1099511627776127, 1700000000123456]"
    print(name, "read exactly: " .. tostring(read[1] == 1099511627776123), "written: " .. library.encode(read))
end
local cjson = libraries.cjson
print("16 digits", select(2, pcall(cjson.encode_number_precision, 16)))
print("no JSON", cjson.encode(cjson.decode "[0x10]"))
LUA
same "$(lua5.1 digits.lua)" <<'EXPECTED'
cjson	read exactly: true	written: [1.0995116277761e+15,1.0995116277761e+15,1.7000000001235e+15]
dkjson	read exactly: true	written: [1.0995116277761e+15,1.0995116277761e+15,1.7000000001235e+15]
16 digits	bad argument #1 to '?' (expected integer between 1 and 14)
no JSON	[16]
EXPECTED

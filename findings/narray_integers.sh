#!/usr/bin/env bash
# NArray 0.6.1.2 (Ruby): 3 * 0.5 is 0 in an array of integers, the median of 1 and 2 is 1, and -7 / 2 is -3.
#
# Guess: integers times 0.5 are halves, and integers are divided as Ruby divides them.
# Seen:  the other operand is cut to an integer first, whatever it is: times 0.5 is 0, plus 0.9 is plus 0. -7 / 2 is -3
#        and -7 % 3 is -1, where Ruby's own integers give -4 and 2. floor and to_i of 5e9 are -2147483648, a sum of
#        bytes wraps at 256, and the mean of 20,000,000 ones in single precision is 0.84. The mean of integers is right.
# Who:   cycles or bytes in an array, scaled by a clock period or a share of a bandwidth: the result is 0.
# Why right to expect: an array of two types becomes one of the wider type, and the mean of integers has a fraction.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-narray=0.6.1.2-4+b3

cat >integers.rb <<'RUBY'
require "narray"
cycles = NArray.to_na([3, -7])
p "times 0.5" => (cycles * 0.5).to_a, "plus 0.9" => (cycles + 0.9).to_a, "times [0.5]" => (cycles * NArray[0.5]).to_a
p "/ 2" => (cycles / 2).to_a, "% 3" => (cycles % 3).to_a, "of Ruby" => [-7 / 2, -7 % 3]
p "median" => NArray.to_na([1, 2]).median, "mean" => NArray.to_na([1, 2]).mean,
  "median of floats" => NArray.to_na([1.0, 2.0]).median
p "floor" => NArray.to_na([5e9]).floor.to_a, "to_i" => NArray.to_na([5e9]).to_i.to_a
p "sum of bytes" => NArray.byte(3).fill!(200).sum, "mean of ones" => NArray.sfloat(20_000_000).fill!(1).mean
RUBY
root=$work/unpacked/usr/lib
export RUBYLIB=$root/ruby/3.1.0:$root/x86_64-linux-gnu/ruby/3.1.0:$root/x86_64-linux-gnu/ruby/vendor_ruby/3.1.0
same "$(ruby3.1 --disable-gems integers.rb)" <<'EXPECTED'
{"times 0.5"=>[0, 0], "plus 0.9"=>[3, -7], "times [0.5]"=>[1.5, -3.5]}
{"/ 2"=>[1, -3], "% 3"=>[0, -1], "of Ruby"=>[-4, 2]}
{"median"=>1, "mean"=>1.5, "median of floats"=>1.5}
{"floor"=>[-2147483648], "to_i"=>[-2147483648]}
{"sum of bytes"=>88, "mean of ones"=>0.8388608}
EXPECTED

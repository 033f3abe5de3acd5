#!/usr/bin/env bash
# TOML::Tiny 0.15 (Perl): the text "inf" is written back as infinity and "1979-05-27" as a date; TOML 0.97 writes the
# table "llama-3.1" as table 1 in llama-3.
#
# Guess: what to_toml writes of what from_toml read has the same types and names.
# Seen:  TOML::Tiny quotes texts that look like numbers ("12e4", "0123"), but not those that look like dates, infinity
#        or NaN, which other readers then read as such; 1.0 is 1, an integer. TOML quotes no name with a dot, makes
#        "true" of true, and reads no inf, nan and 0x10.
# Who:   scripts that change one key of a file of designs or machines and write it back: names such as "inf" (a dataset,
#        an InfiniBand link) and tables of models with a version in their names are others afterwards.
# Why right to expect: the reader knows the types, and the package tests that documents come back.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs perl
debian libtoml-tiny-perl=0.15-1 libtoml-perl=0.97-2 libtoml-parser-perl=0.91-2 libtypes-serialiser-perl=1.01-1 \
    libcommon-sense-perl=3.75-3
export PERL5LIB=$work/unpacked/usr/share/perl5:$work/unpacked/usr/lib/x86_64-linux-gnu/perl5/5.36

seen=$(perl - <<'PERL'
use TOML::Tiny qw(to_toml from_toml);
use TOML ();
for my $text ('a = "inf"', 'a = "nan"', 'a = "1979-05-27"', 'a = "12e4"', 'a = 1.0', 'a = true',
    "[\"llama-3.1\"]\nx = 1") {
    my $shown = $text;
    my $tiny = to_toml(scalar from_toml($text));
    my $toml = TOML::to_toml(TOML::from_toml($text));
    for ($shown, $tiny, $toml) {
        tr/\n/ /;
        s/^ +| +$//g;
    }
    print "$shown | TOML::Tiny $tiny | TOML $toml\n";
}
for my $number ("inf", "nan", "0x10") {
    print "TOML reads $number: ", defined TOML::from_toml("a = $number") ? "yes" : "no", "\n";
}
PERL
)
same "$seen" <<'EXPECTED'
a = "inf" | TOML::Tiny a=inf | TOML a = "inf"
a = "nan" | TOML::Tiny a=nan | TOML a = "nan"
a = "1979-05-27" | TOML::Tiny a=1979-05-27 | TOML a = "1979-05-27"
a = "12e4" | TOML::Tiny a="12e4" | TOML a = "12e4"
a = 1.0 | TOML::Tiny a=1 | TOML a = 1
a = true | TOML::Tiny a=true | TOML a = "true"
["llama-3.1"] x = 1 | TOML::Tiny ["llama-3.1"] x=1 | TOML [llama-3.1] x = 1
TOML reads inf: no
TOML reads nan: no
TOML reads 0x10: no
EXPECTED

# What the tests of packages share; sourced with the folder of the packages and that of the bare root as $1 and $2.
# shellcheck shell=bash
set -euo pipefail
dist=$(readlink -f "$1")
root=$(readlink -m "$2")
# shellcheck disable=SC2034 # of the tests
tests=$PIMDSE_ROOT/tests/package
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

skip() {
    echo "skipped: $*"
    exit 77
}

failed() {
    echo "failed: $*" >&2
    exit 1
}

# The one file of this kind among the packages.
made() { # PATTERN
    local found
    mapfile -t found < <(compgen -G "$dist/$1" || true)
    [ ${#found[@]} -gt 0 ] || failed "$dist has no $1 (./run package makes it)"
    [ ${#found[@]} -eq 1 ] || failed "$dist has several files $1"
    echo "${found[0]}"
}

now() { date +%s.%N; }
seconds() { awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.1f", to - from }'; }

# The digest in what `pimdse quick --format json` printed.
digest_in() { sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$1"; }

digest_of_build() {
    (cd "$place" &&
        PIMDSE_DATA=$PIMDSE_ROOT "$PIMDSE" quick -o of_build.h5 --progress none --format json >of_build.json)
    digest_in "$place/of_build.json"
}

same_digest() { # NAME FILE: what the package printed as JSON
    local here built
    here=$(digest_in "$2")
    built=$(digest_of_build)
    echo "digest $1 $here, build $built"
    [ "${here:-none}" = "$built" ] || failed "the result of $1 differs from that of the build"
}

has_front() { # FILE: what `pimdse quick` printed
    grep -q 'on the front' "$1" || failed "no front: $(cat "$1")"
}

# Every library is either in the folder of the program or of glibc, which belongs to the host.
brings_libraries() { # PROGRAM FOLDER
    local outside
    outside=$(env -i ldd "$1" | grep -vF "=> $(readlink -f "$2")/" |
        grep -vE '^\s*(linux-vdso|(/lib64/)?ld-linux[^ ]*|lib(c|m|dl|rt|pthread|resolv|util))\.so\.[0-9]+ ' || true)
    [ -z "$outside" ] || failed "$1 takes from this host: $outside"
    # shellcheck disable=SC2016 # the linker reads it
    if readelf -d "$1" | grep -E 'R(UN)?PATH' | grep -vq '\[[$]ORIGIN[^:]*\]'; then
        failed "$1 has a path of the build"
    fi
}

# Nothing of the environment of whoever runs the tests.
plainly() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$place" LC_ALL=C.UTF-8 "$@"; }

# Runs words in the bare root, which sees the kernel as a container does; mounts are gone with the namespace.
# shellcheck disable=SC2016 # its own words
in_root() {
    plainly unshare --mount bash -c 'root=$1; shift
        for folder in proc dev; do mount --rbind "/$folder" "$root/$folder"; done
        exec chroot "$root" "$@"' in_root "$root" "$@"
}

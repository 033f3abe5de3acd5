#!/usr/bin/env bash
# Builds, installs, moves and runs pimdse on other systems, from their bare images and from this source tree.
#   tests/platforms/platforms.sh [NAME]...   those of the table below (all, unless some are named)
#   tests/platforms/platforms.sh list        the table
# Containers by podman or docker, where one of them runs; else a chroot by debootstrap, as root, of the releases it
# knows. Where there is none of them it says so and ends with 77 (skipped). Folders: $TMPDIR/pimdse-platforms.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
source_dir=$(readlink -f ../..)
work=${TMPDIR:-/tmp}/pimdse-platforms
scripts=/usr/share/debootstrap/scripts

# name | image | release for debootstrap | packages beside jobs/setup.sh build | flags of cmake
mpich="-DMPI_CXX_COMPILER=mpicxx.mpich -DMPIEXEC_EXECUTABLE=/usr/bin/mpiexec.mpich"
gcc11=-DCMAKE_CXX_COMPILER=g++-11
clang="-DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang"
table="
debian12       | debian:bookworm | bookworm |                    |
debian12-g++11 | debian:bookworm | bookworm | g++-11             | $gcc11
debian12-clang | debian:bookworm | bookworm | clang              | $clang
debian12-mpich | debian:bookworm | bookworm | mpich libmpich-dev | $mpich
debian13       | debian:trixie   | trixie   |                    |
debian13-clang | debian:trixie   | trixie   | clang              | $clang
ubuntu24.04    | ubuntu:24.04    | noble    |                    |
"

rows() { sed '/^$/d' <<<"$table"; }
names() { rows | cut -d'|' -f1 | tr -d ' '; }
field() { rows | awk -F' *[|] *' -v name="$1" -v n="$2" '$1 == name { print $n }'; }

# podman, docker, debootstrap, or nothing.
way() {
    local program
    for program in podman docker; do
        if command -v $program >/dev/null && timeout 20 $program info >/dev/null 2>&1; then
            echo $program
            return
        fi
    done
    if command -v debootstrap >/dev/null && [ "$(id -u)" -eq 0 ]; then echo debootstrap; fi
}

in_container() { # PROGRAM NAME
    "$1" run --rm -v "$source_dir:/source:ro" -e PACKAGES="$(field "$2" 4)" -e FLAGS="$(field "$2" 5)" \
        -e PIMDSE_JOBS="${PIMDSE_JOBS:-}" "$(field "$2" 2)" bash /source/tests/platforms/inside.sh /source /build
}

in_chroot() { # NAME
    local root=$work/$1 release
    release=$(field "$1" 3)
    if [ ! -x "$root/usr/bin/apt-get" ]; then
        # From the mirror it knows. An Ubuntu that is younger than debootstrap is made as all of them are.
        if [ -e "$scripts/$release" ]; then
            debootstrap --variant=minbase "$release" "$root"
        else
            local unsigned=()
            if [ ! -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]; then
                echo "signatures of packages are not checked: Ubuntu's keys are not installed"
                unsigned=(--no-check-gpg)
            fi
            debootstrap --variant=minbase --components=main,universe "${unsigned[@]}" "$release" "$root" "" \
                "$scripts/gutsy"
        fi
    fi
    mkdir -p "$root/source"
    tar -C "$source_dir" --exclude=./build --exclude=./.git -c . | tar -C "$root/source" -x
    # What a container has, too; gone with the namespace.
    # shellcheck disable=SC2016 # its own words
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PACKAGES="$(field "$1" 4)" \
        FLAGS="$(field "$1" 5)" PIMDSE_JOBS="${PIMDSE_JOBS:-}" \
        unshare --mount bash -c 'for place in proc sys dev; do mount --rbind "/$place" "$0/$place"; done
            exec chroot "$0" bash /source/tests/platforms/inside.sh /source /build' "$root"
}

one() { # WAY NAME
    case $1 in
        debootstrap) in_chroot "$2" ;;
        *) in_container "$1" "$2" ;;
    esac
}

if [ "${1:-}" = list ]; then
    rows
    exit 0
fi
for name in "$@"; do
    if ! names | grep -Fxq -- "$name"; then
        echo "unknown platform '$name'. Known: $(names | paste -sd' ')" >&2
        exit 2
    fi
done
how=$(way)
if [ -z "$how" ]; then
    echo "skipped: neither podman nor docker runs here, and there is no debootstrap for root"
    exit 77
fi
mkdir -p "$work"
failed=()
mapfile -t chosen < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else names; fi)
for name in "${chosen[@]}"; do
    if [ "$how" = debootstrap ] && [ ! -e "$scripts/$(field "$name" 3)" ] && [[ "$name" != ubuntu* ]]; then
        echo "== $name is skipped: debootstrap does not know it"
        continue
    fi
    echo "== $name by $how"
    if one "$how" "$name" >"$work/$name.log" 2>&1; then
        tail -1 "$work/$name.log"
    else
        failed+=("$name")
        tail -20 "$work/$name.log"
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]} (logs in $work)"
    exit 1
fi

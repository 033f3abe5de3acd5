#!/usr/bin/env bash
# The Debian packages of pimdse: installs what is missing (as root), or names it in one sentence (otherwise; exit 1).
#   jobs/setup.sh            to build and run: what the image of a cluster's node needs
#   jobs/setup.sh analysis   the scripts of analysis/
#   jobs/setup.sh test       the tests, with build, report and analysis
#   jobs/setup.sh report     what makes the page of `pimdse report` when pimdse is built
#   jobs/setup.sh browser    the browser in which that page is tested
#   jobs/setup.sh fuzz       what looks for inputs that break the readers (libFuzzer), beside the tests
#   jobs/setup.sh slurm      the Slurm that tests/slurm starts for itself
#   jobs/setup.sh list WORD...   prints the packages of these words, one a line, and installs nothing
# Several words are possible. On other systems it lists the packages whose equivalents are needed.
set -euo pipefail

build=(g++ ninja-build cmake openmpi-bin libopenmpi-dev libhdf5-dev libboost-program-options-dev libtbb-dev
       libtomlplusplus-dev libfmt-dev nlohmann-json3-dev zlib1g-dev libdeflate-dev libxxhash-dev pkg-config libssl-dev)
analysis=(python3 python3-h5py python3-numpy python3-pandas python3-matplotlib)
test=(libgtest-dev libgmock-dev libbenchmark-dev hdf5-tools python3-pytest python3-deap clang-format)
report=(esbuild node-d3)
browser=(chromium chromium-driver python3-selenium)
fuzz=(clang-16 libclang-rt-16-dev)
slurm=(slurmctld slurmd slurm-client munge)

list=no
if [ "${1:-}" = list ]; then
    list=yes
    shift
fi
packages=()
for word in "${@:-build}"; do
    case $word in
        build) packages+=("${build[@]}") ;;
        analysis) packages+=("${analysis[@]}") ;;
        test) packages+=("${build[@]}" "${report[@]}" "${analysis[@]}" "${test[@]}") ;;
        report) packages+=("${report[@]}") ;;
        browser) packages+=("${browser[@]}") ;;
        fuzz) packages+=("${fuzz[@]}") ;;
        slurm) packages+=("${slurm[@]}") ;;
        *)
            echo "usage: jobs/setup.sh [build|analysis|test|report|browser|fuzz|slurm]..." >&2
            exit 2
            ;;
    esac
done
if [ "$list" = yes ]; then
    printf '%s\n' "${packages[@]}"
    exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "this is no Debian system, so please make sure that the equivalents of these packages are there:" \
        "${packages[*]}"
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=
    [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "packages are missing; please install them as root:" \
        "apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
fi

echo "installing from Debian: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
quietly=(-o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -qq)
apt-get "${quietly[@]}" update
if ! apt-get "${quietly[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null; then
    echo "apt-get could not install all of: ${missing[*]} (its messages are above)" >&2
    exit 1
fi

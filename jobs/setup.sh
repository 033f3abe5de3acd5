#!/usr/bin/env bash
# Installs the missing Debian packages of pimdse (as root), or lists them in one sentence (otherwise; exit code 1).
#   jobs/setup.sh            packages to build and run, for example in the image of a cluster node
#   jobs/setup.sh analysis   packages for the scripts of analysis/
#   jobs/setup.sh frameworks the libraries that C++ tests are compiled with
#   jobs/setup.sh test       packages for the tests, including those of build, report, analysis and frameworks
#   jobs/setup.sh report     packages that generate the page of `pimdse report` during the build
#   jobs/setup.sh browser    the browser in which that page is tested
#   jobs/setup.sh fuzz       packages for fuzzing the parsers (libFuzzer), in addition to those of test
#   jobs/setup.sh slurm      the Slurm that tests/slurm starts for itself
#   jobs/setup.sh package    packages that make and test what is released, including those of build and report
#   jobs/setup.sh list WORD...   prints the packages of these words, one per line, and installs nothing
# Several words are possible. On other systems the script lists the packages whose equivalents are needed.
set -euo pipefail

build=(g++ ninja-build cmake openmpi-bin libopenmpi-dev libhdf5-dev libboost-program-options-dev libtbb-dev
       libtomlplusplus-dev libfmt-dev nlohmann-json3-dev zlib1g-dev libdeflate-dev libxxhash-dev libnlopt-dev pkg-config
       libssl-dev)
analysis=(python3 python3-h5py python3-numpy python3-pandas python3-matplotlib)
frameworks=(libgtest-dev libgmock-dev libbenchmark-dev)
test=(hdf5-tools python3-pytest python3-deap clang-format)
report=(esbuild node-d3)
browser=(chromium chromium-driver python3-selenium)
fuzz=(clang-16 libclang-rt-16-dev)
package=(dpkg-dev file python3 python3-pip python3-venv)
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
        test) packages+=("${build[@]}" "${report[@]}" "${analysis[@]}" "${frameworks[@]}" "${test[@]}") ;;
        frameworks) packages+=("${frameworks[@]}") ;;
        report) packages+=("${report[@]}") ;;
        browser) packages+=("${browser[@]}") ;;
        fuzz) packages+=("${fuzz[@]}") ;;
        package) packages+=("${build[@]}" "${report[@]}" "${package[@]}") ;;
        slurm) packages+=("${slurm[@]}") ;;
        *)
            echo "usage: jobs/setup.sh [build|analysis|frameworks|test|report|browser|fuzz|slurm|package]..." >&2
            exit 2
            ;;
    esac
done
if [ "$list" = yes ]; then
    printf '%s\n' "${packages[@]}"
    exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "this is not a Debian system; please make sure that the equivalents of these packages are installed:" \
        "${packages[*]}"
    exit 0
fi

missing=()
for name in "${packages[@]}"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) || state=
    [ "$state" = installed ] || missing+=("$name")
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
    echo "apt-get could not install all of these packages: ${missing[*]} (see its messages above)" >&2
    exit 1
fi

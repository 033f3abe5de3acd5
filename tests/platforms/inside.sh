#!/usr/bin/env bash
# inside.sh SOURCE BUILD: what tests/platforms/platforms.sh does on a platform. Installs what is missing (as root),
# builds in BUILD, installs, moves what it installed, and holds that one process and two ranks give the same answers and
# that references and published figures are met; ends with digests of some spaces, which are those of every platform.
# $PACKAGES more of them, $FLAGS for cmake, $PIMDSE_JOBS.
set -euo pipefail
source_dir=$(readlink -f "$1")
mkdir -p "$2"
build=$(readlink -f "$2")

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    "$source_dir/jobs/setup.sh" build
    if [ -n "${PACKAGES:-}" ]; then
        # shellcheck disable=SC2086 # several words
        apt-get -qq install -y --no-install-recommends $PACKAGES
    fi
fi
# shellcheck disable=SC2086 # several words
cmake -S "$source_dir" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPIMDSE_TESTS=OFF ${FLAGS:-}
cmake --build "$build" -j "${PIMDSE_JOBS:-$(nproc)}"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install "$build" --prefix "$place/first" >/dev/null
mv "$place/first" "$place/second"
cd "$place"
pimdse=$place/second/bin/pimdse
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:FILEPATH=//p' "$build/CMakeCache.txt")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

"$pimdse" evaluate dplena >/dev/null
"$pimdse" explore quick -o alone.h5 --progress none
"$mpiexec" -n 2 "$pimdse" explore quick -o ranks.h5 --progress none >/dev/null
"$pimdse" diff alone.h5 ranks.h5
"$pimdse" verify alone.h5
"$pimdse" validate --format json >/dev/null
"$pimdse" dram check "$source_dir/tests/data/dram_cycles.csv" --only 'n_requests<=20000' >/dev/null
digests=
for run in "quick analytic" "dplena_vlen cycle" "upmem_streams cycle" "cim_mesh_shape cycle"; do
    read -r space fidelity <<<"$run"
    "$pimdse" explore "$space" --strategy random --budget 60 --fidelity "$fidelity" -o "$space.h5" \
        --progress none --format json >"$space.json"
    digest=$(sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$space.json")
    digests="$digests $space ${digest:0:12}"
done
echo "passed: $("$pimdse" --version | head -1); digests$digests"

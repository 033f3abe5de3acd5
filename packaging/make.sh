#!/usr/bin/env bash
# Makes what is released, from a build folder that it configures: ./run package calls it.
#   packaging/make.sh FOLDER JOBS     writes FOLDER/dist: Debian package, archive, wheel
# The archive and the wheel have the program for one process, the Debian package the one with MPI. Both are built in the
# same folder one after the other, as they differ in one object.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
folder=$1 jobs=$2
version=$(sed -n 's/^project(pimdse VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=pimdse-$version-linux-$(uname -m)
# Files in packages have the time of the commit, so that the same commit gives the same archive.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH

say() { printf '== %s\n' "$*"; }

build() { # MPI
    say "building in $folder (PIMDSE_MPI=$1) with $jobs jobs"
    cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DPIMDSE_TESTS=OFF -DPIMDSE_RELEASE=ON -DPIMDSE_MPI="$1" \
        -DPIMDSE_WERROR="${PIMDSE_WERROR:-OFF}" -DCMAKE_INSTALL_PREFIX=/usr \
        -DPIMDSE_PYTHON_DIR=lib/python3/dist-packages --log-level=WARNING
    cmake --build "$folder" -j "$jobs" --target pimdse report_page
}

mkdir -p "$folder"
rm -rf "$folder/dist" "$folder/stage"
mkdir -p "$folder/dist"

build OFF
tree=$folder/stage/$name
cmake --install "$folder" --prefix "$tree" --component Unspecified --strip >/dev/null
if [ ! -f "$tree/share/pimdse/report/page.html" ]; then
    echo "the page of pimdse report was not made (see above)" >&2
    exit 1
fi
/usr/bin/python3 -B packaging/bundle.py "$folder/pimdse" "$tree"
say "the archive"
tar -C "$folder/stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -c "$name" |
    gzip -9n >"$folder/dist/$name.tar.gz"
say "the wheel"
/usr/bin/python3 -B packaging/wheel.py "$tree" "$version" "$folder/dist"

build ON
say "the Debian package"
(cd "$folder" && cpack -G DEB >cpack.log) || { cat "$folder/cpack.log" >&2; exit 1; }
rm -rf "$folder/dist/_CPack_Packages"
(cd "$folder/dist" && du -h --apparent-size -- *)

#!/usr/bin/env bash
# thread_sanitized_tbb.sh FOLDER: builds oneTBB from Debian's source package with ThreadSanitizer in FOLDER and prints
# the folder of its libraries, for LD_LIBRARY_PATH. The packaged oneTBB is not instrumented: with it, ThreadSanitizer
# cannot see that a parallel loop has ended and reports races that do not exist. The machine's package lists stay as
# they are.
set -euo pipefail
folder=$1
mkdir -p "$folder/sources" "$folder/lists/partial" "$folder/cache/archives/partial"
folder=$(readlink -f "$folder")
libraries() { dirname "$(find "$folder" -name libtbb.so.12 -print -quit)"; }

if [ -z "$(find "$folder" -name libtbb.so.12 -print -quit)" ]; then
    for list in /etc/apt/sources.list.d/*.sources; do
        [ -e "$list" ] || continue
        sed 's/^Types: .*/Types: deb-src/' "$list" >"$folder/sources/$(basename "$list")"
    done
    if [ -e /etc/apt/sources.list ]; then
        sed 's/^deb /deb-src /' /etc/apt/sources.list >"$folder/sources/main.list"
    fi
    apt=(apt-get -q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/sources"
        -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
    cd "$folder"
    {
        "${apt[@]}" update
        "${apt[@]}" source --download-only onetbb
        mkdir -p source
        tar xf onetbb_*.orig.tar.* -C source --strip-components=1
        cmake -S source -B library -DCMAKE_BUILD_TYPE=Release -DTBB_SANITIZE=thread -DTBB_TEST=OFF \
            -DTBBMALLOC_BUILD=OFF -DTBB_STRICT=OFF
        cmake --build library --target tbb -j "$(nproc)"
    } >"$folder/log" 2>&1 || { tail -5 "$folder/log" >&2; exit 1; }
fi
libraries

# Sourced by every finding, which pins the versions: a folder that is removed at the end, packages in it, and a check
# of what was seen.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Ends unless the commands and Debian packages exist that a finding only uses to write its input.
needs() {
    local name
    for name in "$@"; do
        command -v "$name" >/dev/null || dpkg -s "$name" >/dev/null 2>&1 || { echo "needs: $name" >&2; exit 2; }
    done
}

# PACKAGE=VERSION ...: unpacked below $work/unpacked; nothing is installed. Needs an `apt-get update` of some time ago.
debian() {
    local file
    apt-get download -qq -o APT::Sandbox::User=root "$@" || { echo "cannot be had: $*" >&2; exit 2; }
    for file in ./*.deb; do dpkg -x "$file" unpacked; done
    rm ./*.deb
    export PATH="$work/unpacked/usr/bin:$PATH" PYTHONPATH="$work/unpacked/usr/lib/python3/dist-packages"
    export LD_LIBRARY_PATH="$work/unpacked/usr/lib/x86_64-linux-gnu:$work/unpacked/usr/lib/x86_64-linux-gnu/slurm-wlm"
}

# NAME@VERSION ...: below $work/node_modules, where `node --input-type=module` finds them.
npm_packages() {
    needs node npm
    npm install --silent --no-audit --no-fund --ignore-scripts --no-save --prefix "$work" "$@" >&2 ||
        { echo "cannot be had: $*" >&2; exit 2; }
}

# `octave`: Octave 7.3.0 without its windows, and its libraries.
unpack_octave() {
    debian octave=7.3.0-2 octave-common=7.3.0-2 libamd2=1:5.12.0+dfsg-2 libarpack2=3.8.0-3 libcamd2=1:5.12.0+dfsg-2 \
        libccolamd2=1:5.12.0+dfsg-2 libcholmod3=1:5.12.0+dfsg-2 libcolamd2=1:5.12.0+dfsg-2 \
        libcxsparse3=1:5.12.0+dfsg-2 libfftw3-double3=3.3.10-1 libfftw3-single3=3.3.10-1 libgl2ps1.4=1.4.2+dfsg1-2 \
        libgraphicsmagick++-q16-12=1.4+really1.3.40-4+deb12u1 libgraphicsmagick-q16-3=1.4+really1.3.40-4+deb12u1 \
        libhwy1=1.0.3-3+deb12u1 libjxl0.7=0.7.0-10+deb12u1 libmetis5=5.1.0.dfsg-7 libqrupdate1=1.1.2-4 \
        libspqr2=1:5.12.0+dfsg-2 libsuitesparseconfig5=1:5.12.0+dfsg-2 libumfpack5=1:5.12.0+dfsg-2 \
        libwmflite-0.2-7=0.2.12-5.1
    export OCTAVE_HOME=$work/unpacked/usr
    LD_LIBRARY_PATH+=:$work/unpacked/usr/lib:$work/unpacked/usr/lib/x86_64-linux-gnu/octave/7.3.0
}
octave() { octave-cli --norc --no-history "$@" 2>octave.txt || { cat octave.txt >&2; exit 2; }; }

# Prints what was seen; ends with 1 unless it is the text of standard input.
same() {
    local before
    before=$(cat)
    printf '%s\n' "$1"
    [ "$1" = "$before" ] || { printf 'This has changed. It was:\n%s\n' "$before" >&2; exit 1; }
}

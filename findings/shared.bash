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

# PACKAGE=VERSION ... of R, beside R itself; then `r_script` runs its standard input.
unpack_r() {
    debian r-base-core=4.2.2.20221110-2 libpaper1=1.1.29 libpaper-utils=1.1.29 "$@"
    export R_HOME=$work/unpacked/usr/lib/R EDITOR=vi PAGER=cat TZ=UTC
    export R_LIBS=$R_HOME/site-library
    ln -sf /dev/null "$R_HOME/etc/Renviron"
    LD_LIBRARY_PATH+=:$R_HOME/lib
}
r_script() {
    cat >script.R
    "$R_HOME/bin/exec/R" --no-echo --no-environ --no-restore --no-save --file=script.R 2>r.txt ||
        { cat r.txt >&2; exit 2; }
}

# MPICH; then `mpich_program NAME` compiles NAME.c to ./NAME.
unpack_mpich() {
    needs gcc libhwloc15
    debian mpich=4.0.2-3+b1 libmpich12=4.0.2-3+b1 libmpich-dev=4.0.2-3+b1 libslurm38
}
mpich_program() {
    gcc -O1 -Iunpacked/usr/include/x86_64-linux-gnu/mpich "$1.c" -o "$1" -Lunpacked/usr/lib/x86_64-linux-gnu -lmpich \
        -Wl,--unresolved-symbols=ignore-in-shared-libs
}

# Open MPI as it is installed, which is the version that the findings name; mpicc.openmpi compiles for it.
needs_open_mpi() {
    needs gcc libopenmpi-dev mpicc.openmpi
    [ "$(dpkg-query -W -f '${Version}' libopenmpi-dev)" = 4.1.4-3+b1 ] || { echo "needs: Open MPI 4.1.4" >&2; exit 2; }
}

# CBC, and the libraries of sparse matrices that GLPK and lp_solve need, too.
unpack_cbc() {
    debian coinor-cbc=2.10.8+ds1-1 coinor-libcbc3=2.10.8+ds1-1 coinor-libcgl1=0.60.3+repack1-4 \
        coinor-libclp1=1.17.6-3 coinor-libcoinutils3v5=2.11.4+repack1-2 coinor-libosi1v5=0.108.6+repack1-2 \
        libamd2=1:5.12.0+dfsg-2 libcolamd2=1:5.12.0+dfsg-2 libsuitesparseconfig5=1:5.12.0+dfsg-2
}

# csvkit and what it needs.
unpack_csvkit() {
    debian csvkit=1.0.7-1 python3-csvkit=1.0.7-1 python3-agate=1.6.3-2 python3-agatedbf=0.2.2-2 \
        python3-agateexcel=0.2.5-2 python3-agatesql=0.5.8-2 python3-babel=2.10.3-1 python-babel-localedata=2.10.3-1 \
        python3-isodate=0.6.1-1 python3-leather=0.3.4-2 python3-parsedatetime=2.6-3 python3-pytimeparse=1.1.5-3 \
        python3-slugify=4.0.0-2 python3-unidecode=1.3.6-1 python3-dbfread=2.0.7-5 python3-olefile=0.46-3 \
        python3-openpyxl=3.0.9-1 python3-et-xmlfile=1.0.1-2.1 python3-jdcal=1.0-1.3 python3-xlrd=1.2.0-3 \
        python3-sqlalchemy=1.4.46+ds1-1 python3-greenlet=2.0.2-1
}

# Prints what was seen; ends with 1 unless it is the text of standard input.
same() {
    local before
    before=$(cat)
    printf '%s\n' "$1"
    [ "$1" = "$before" ] || { printf 'This has changed. It was:\n%s\n' "$before" >&2; exit 1; }
}

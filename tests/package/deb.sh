#!/usr/bin/env bash
# deb.sh DIST ROOT: `apt install ./pimdse_*.deb` in a bare root whose apt has the packages of Debian already.
# shellcheck source=tests/package/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"
deb=$(made 'pimdse_*.deb')
"$tests/root.sh" "$root" "$deb" "${root}_packages"
rm "$root/bare" # the next test makes another one
cp "$deb" "$root/srv/"
# shellcheck disable=SC2016 # its own words
install='export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
    apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root install'
cd "$place"
from=$(now)
in_root sh -c "$install /srv/${deb##*/}" >install.log 2>&1 || { tail -20 install.log; failed "apt install"; }
installed=$(seconds "$from")
in_root sh -c 'cd /srv && pimdse quick --progress none' >front.txt
echo "Debian package: $(seconds "$from") s from apt install to the first front, $installed s of them apt with" \
    "$(grep -c '^Setting up' install.log) packages"
has_front front.txt
in_root sh -c 'cd /srv && pimdse quick --progress none --format json' >front.json
same_digest "Debian package" front.json
in_root sh -c 'cd /srv && pimdse report quick.h5 -o quick.html' >/dev/null
in_root test -f /usr/lib/python3/dist-packages/pimdse/__init__.py || failed "Python does not find the package"
in_root pimdse --version | grep -q 'Open MPI' || failed "no MPI: $(in_root pimdse --version)"

# The recommended mpirun.
in_root sh -c "$install openmpi-bin" >mpi.log 2>&1 || { tail -20 mpi.log; failed "apt install openmpi-bin"; }
in_root sh -c 'cd /srv && export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent=false
    mpirun -n 2 pimdse quick --progress none --format json' >ranks.json
grep -q '"ranks": 2' ranks.json || failed "not two ranks: $(cat ranks.json)"
same_digest "Debian package on two ranks" ranks.json
rm -rf "$root"

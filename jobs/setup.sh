#!/usr/bin/env bash
# Packages that a cluster's nodes need to build and run pimdse (Debian 12 names). Run as root once per image.
set -euo pipefail
exec apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
    g++ make cmake openmpi-bin libopenmpi-dev libhdf5-dev libboost-program-options-dev libtbb-dev \
    libtomlplusplus-dev libfmt-dev nlohmann-json3-dev zlib1g-dev libssl-dev python3-h5py python3-pandas python3-matplotlib

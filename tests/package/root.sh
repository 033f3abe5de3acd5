#!/usr/bin/env bash
# root.sh ROOT DEB ARCHIVES: makes a bare Debian in ROOT, the essential packages and apt, and puts the packages that DEB
# needs into its cache, so that `apt install ./DEB` works there without a network. Packages come from the apt of this
# host: from its cache, else by its sources. Ends with 77 and a reason where that is impossible.
set -euo pipefail
root=$1 deb=$2 archives=$3
skip() {
    echo "skipped: $*"
    exit 77
}
[ ! -e "$root/bare" ] || exit 0
[ "$(id -u)" -eq 0 ] || skip "only root can make a bare root"
command -v apt-get >/dev/null || skip "this is not a Debian system"
unshare --mount true 2>/dev/null || skip "this host allows no namespace of mounts"
rm -rf "$root"
mkdir -p "$root" "$archives/partial"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/status"

# apt-get of this host for a system on which nothing is installed.
apt_get() {
    DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o Dir::State::status="$work/status" \
        -o Dir::State::extended_states="$work/extended" -o Dir::Cache::archives="$archives" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root -o Debug::NoLocking=true "$@"
}

# The file names of all packages that it would install; it lists none that are in its cache, so that this one is empty.
mkdir -p "$work/nothing/partial"
files_for() { apt_get --print-uris -o Dir::Cache::archives="$work/nothing" install "$@" >"$work/uris" 2>"$work/why"; }
names_of_files() { sed -n "s/^'[^']*' \([^ ]*\.deb\) .*/\1/p"; }

mapfile -t essential < <(dpkg-query -W -f '${Essential} ${Package}\n' | sed -n 's/^yes //p')
bare=("${essential[@]}" usr-is-merged apt)
files_for "${bare[@]}" ||
    skip "apt knows no packages: $(head -1 "$work/why")"
names_of_files <"$work/uris" >"$work/bare"
files_for "${bare[@]}" "$deb" openmpi-bin ||
    { cat "$work/why" >&2; exit 1; }
while read -r name; do
    [ -e "$archives/$name" ] || cp -l "/var/cache/apt/archives/$name" "$archives/" 2>/dev/null ||
        cp "/var/cache/apt/archives/$name" "$archives/" 2>/dev/null || true
done < <(names_of_files <"$work/uris")
apt_get --download-only install "${bare[@]}" "$deb" openmpi-bin >"$work/why" 2>&1 ||
    skip "packages of Debian cannot be fetched: $(tail -1 "$work/why")"

# As debootstrap does: unpacked from outside, then installed by the dpkg that is inside now.
mkdir -p "$root"/usr/{bin,sbin,lib,lib32,lib64,libx32} "$root/srv/packages"
for folder in bin sbin lib lib32 lib64 libx32; do ln -s "usr/$folder" "$root/$folder"; done
while read -r name; do
    dpkg-deb --fsys-tarfile "$archives/$name" | tar -C "$root" -x --keep-directory-symlink
    cp "$archives/$name" "$root/srv/packages/"
done <"$work/bare"
ln -sf mawk "$root/usr/bin/awk"
mkdir -p "$root/var/lib/dpkg" "$root/var/cache/apt/archives/partial"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"    # no daemon is started
chmod 755 "$root/usr/sbin/policy-rc.d"
printf 'root:x:0:0:root:/:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
# shellcheck disable=SC2016 # its own words
unshare --mount bash -c 'for folder in proc dev; do mount --rbind "/$folder" "$0/$folder"; done; exec env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true LC_ALL=C.UTF-8 \
    chroot "$0" sh -ec "rm -f /etc/passwd /etc/group; cd /srv/packages
        dpkg --force-depends --force-unsafe-io --install base-passwd_*.deb
        dpkg --force-depends --force-unsafe-io --install base-files_*.deb
        dpkg --force-all --force-unsafe-io --unpack *.deb; dpkg --force-unsafe-io --configure --pending"' "$root" \
    >"$root/made.log" 2>&1 || { tail -20 "$root/made.log" >&2; exit 1; }
rm -rf "$root/srv/packages"

# What its apt knows and has.
kept=$root/var/cache/apt/archives
cp -l "$archives"/*.deb "$kept/" 2>/dev/null || cp "$archives"/*.deb "$kept/"
cp -r /var/lib/apt/lists/. "$root/var/lib/apt/lists/"
for file in /etc/apt/sources.list /etc/apt/sources.list.d; do
    [ ! -e "$file" ] || cp -r "$file" "$root/etc/apt/"
done
touch "$root/bare"

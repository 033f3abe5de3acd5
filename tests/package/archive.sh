#!/usr/bin/env bash
# archive.sh DIST ROOT: the archive, unpacked in a folder of this host, and in a bare root if this host can make one.
# shellcheck source=tests/package/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"
archive=$(made 'pimdse-*-linux-*.tar.gz')
from=$(now)
tar -C "$place" -xzf "$archive"
folder=$(echo "$place"/pimdse-*)
mv "$folder" "$place/moved here"
program="$place/moved here/bin/pimdse"
cd "$place"
plainly "$program" quick --progress none >front.txt
echo "archive: $(seconds "$from") s from the file to the first front"
has_front front.txt
brings_libraries "$program" "$place/moved here"
plainly "$program" quick --progress none --format json >front.json
same_digest archive front.json
plainly "$program" report quick.h5 -o quick.html >/dev/null
[ -s "$place/moved here/share/doc/pimdse/libraries/README.txt" ] || failed "no licences of the libraries"

status=0
"$tests/root.sh" "$root" "$(made 'pimdse_*.deb')" "${root}_packages" || status=$?
[ "$status" -ne 77 ] || exit 0 # it said why; what follows is the smaller part
[ "$status" -eq 0 ] || failed "no bare root"
mv "$place/moved here" "$root/opt/pimdse"
in_root sh -c 'cd /tmp && /opt/pimdse/bin/pimdse quick --progress none --format json' >root.json
rm -rf "$root/opt/pimdse" "$root/tmp/quick.h5"
same_digest "archive in a bare root" root.json

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

# Prints what was seen; ends with 1 unless it is the text of standard input.
same() {
    local before
    before=$(cat)
    printf '%s\n' "$1"
    [ "$1" = "$before" ] || { printf 'This has changed. It was:\n%s\n' "$before" >&2; exit 1; }
}

#!/usr/bin/env bash
# yaml-cpp 0.7.0: of a key that occurs twice the first counts, PyYAML takes the last; a text "1e3" becomes a number.
#
# Guess: an error, or the last line as in Python; a text that looks like a number is written in quotes.
# Seen:  both lines are kept (the map has two entries of one name), and a look-up finds the first. The texts 010, 1e3
#        and true are written without quotes, so that a reader gets 8, 1000.0 and true.
# Who:   memory simulators and mappers that read their configurations with this library, beside Python that makes or
#        checks the same file: an override that is appended at the end acts in one of them only.
# Why right to expect: YAML 1.2: keys of a mapping are unique, and a plain scalar has the type that it looks like.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libyaml-cpp-dev=0.7.0+dfsg-8+b1 libyaml-cpp0.7=0.7.0+dfsg-8+b1 python3-yaml=6.0-3+b2

cat >config.yaml <<'YAML'
channels: 1
ranks: 2
channels: 8
YAML
cat >read.cpp <<'CPP'
#include <yaml-cpp/yaml.h>

#include <iostream>

int main() {
    auto const file = YAML::LoadFile("config.yaml");
    std::cout << "yaml-cpp: channels " << file["channels"] << " of " << file.size() << " entries\n";
    YAML::Node node;
    node["a"] = std::string("010");
    node["b"] = std::string("1e3");
    node["c"] = std::string("true");
    std::cout << node << '\n';
}
CPP
g++ -Iunpacked/usr/include read.cpp -Lunpacked/usr/lib/x86_64-linux-gnu -lyaml-cpp -o read
seen=$(./read; /usr/bin/python3 -B -c '
import yaml
file = yaml.safe_load(open("config.yaml"))
print("PyYAML: channels", file["channels"], "of", len(file), "entries")')
same "$seen" <<'EXPECTED'
yaml-cpp: channels 1 of 3 entries
a: 010
b: 1e3
c: true
PyYAML: channels 8 of 2 entries
EXPECTED

#!/usr/bin/env bash
# alasql 4.19.1: `WHERE joules < 1e-9` finds no row: 1e-9 is read as the column "1e" minus 9.
#
# Guess: 1e-9 is a number, as 1.0e-9 is.
# Seen:  digits followed by e are a name unless there is a point among them: 1e12 is a column "1e12", 5e-12 the column
#        "5e" minus 12. Such columns are undefined in every row, so that comparisons are false, products and sums
#        undefined, and NOT joules > 1e-9 is true of all rows. With a point, or as 0.000000001, all is right.
# Who:   tables of results in SI units, filtered or scaled in a page or a script: no design is cheap enough, or all are.
# Why right to expect: SQL has 1E-9 as a number, and a name cannot begin with a digit there.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages --omit=optional alasql@4.19.1

cat >ask.mjs <<'JS'
import alasql from "alasql";

const designs = [{ id: 1, joules: 5e-12 }, { id: 2, joules: 2e-9 }];
for (const [column, ...rest] of [["id", "WHERE joules < 1e-9"], ["id", "WHERE joules < 1.0e-9"],
    ["id", "WHERE NOT joules > 1e-9"], ["id", "WHERE joules BETWEEN 1e-12 AND 1E-11"], ["id", "WHERE joules < 1e3"],
    ["joules * 1e12 AS pj"], ["joules * 1.0e12 AS pj"], ["SUM(joules * 1e12) AS pj"]]) {
    const found = alasql(`SELECT ${column} FROM ? ${rest.join("")}`, [designs]);
    console.log(column, ...rest, "->", JSON.stringify(found));
}
JS
same "$(node ask.mjs)" <<'EXPECTED'
id WHERE joules < 1e-9 -> []
id WHERE joules < 1.0e-9 -> [{"id":1}]
id WHERE NOT joules > 1e-9 -> [{"id":1},{"id":2}]
id WHERE joules BETWEEN 1e-12 AND 1E-11 -> []
id WHERE joules < 1e3 -> []
joules * 1e12 AS pj -> [{},{}]
joules * 1.0e12 AS pj -> [{"pj":5},{"pj":2000.0000000000002}]
SUM(joules * 1e12) AS pj -> [{}]
EXPECTED

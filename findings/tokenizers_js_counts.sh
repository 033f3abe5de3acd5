#!/usr/bin/env bash
# @huggingface/tokenizers 0.2.0 (pure JavaScript): parts of a tokenizer.json count as if they were not there.
#
# Guess: the same tokens as from the Rust library (0.22.2 in @anush008/tokenizers 0.6.0), which defines the file.
# Seen:  plain BPE, Unigram and WordPiece agree, with digits, added tokens and regular expressions. These do not, and
#        there is no error: byte_fallback of Unigram (two ideographs are 1 token instead of 6), the prefix of continuing
#        pieces in BPE, the behaviors "Isolated" and "Removed" of Punctuation and "Contiguous" of Split, single_word of
#        added tokens. Where Split is inverted, all that it should keep is dropped: "ab--12" is two tokens of four.
# Who:   lengths of prompts and answers counted for traffic with a model whose tokenizer has one of them.
# Why right to expect: these keys are part of the file that the package reads; a type that it does not know is refused.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @huggingface/tokenizers@0.2.0 @anush008/tokenizers@0.6.0 @anush008/tokenizers-linux-x64-gnu@0.6.0

seen=$(node --input-type=module - <<'JS'
import { writeFileSync } from "node:fs";
import rust from "@anush008/tokenizers";
import { Tokenizer } from "@huggingface/tokenizers";

const compare = async (name, text, parts) => {
    const file = { version: "1.0", truncation: null, padding: null, added_tokens: [], normalizer: null,
                   pre_tokenizer: null, post_processor: null, decoder: null, ...parts };
    writeFileSync("tokenizer.json", JSON.stringify(file));
    const tokens = (await rust.Tokenizer.fromFile("tokenizer.json").encode(text)).getTokens();
    const others = new Tokenizer(file, {}).encode(text).tokens;
    const shown = others.join(" ").replace(/[^ -~]/g, "?");
    console.log(`${name}: ${tokens.length} ${tokens.join(" ")} | ${others.length} ${shown}`);
};
const numbered = (words) => Object.fromEntries(words.map((word, id) => [word, id]));
const bpe = (words, merges, other) => ({ model: { type: "BPE", dropout: null, unk_token: null,
    continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: false, byte_fallback: false,
    vocab: numbered(words), merges, ...other } });
const byte = (number) => `<0x${number.toString(16).toUpperCase().padStart(2, "0")}>`;
const letters = [..."ab12-.<x>"];
const plain = bpe([...letters, "ab", "12", "--", ".."], ["a b", "1 2", "- -", ". ."]);
const split = (behavior, invert) => ({ type: "Split", pattern: { Regex: "-" }, behavior, invert });
const added = { id: 90, content: "<x>", single_word: true, lstrip: false, rstrip: false, normalized: false,
                special: true };

await compare("BPE", "ab12", plain);
await compare("Unigram, byte_fallback", "\u4e2d\u6587", { model: { type: "Unigram", unk_id: 0, byte_fallback: true,
    vocab: ["<unk>", "a", ...Array.from({ length: 256 }, (_, number) => byte(number))].map((word) => [word, -1]) } });
await compare("BPE, prefix ##", "aba", bpe(["?", "a", "##b", "##a", "ab"], ["a ##b"],
    { unk_token: "?", continuing_subword_prefix: "##" }));
for (const behavior of ["Isolated", "Removed"])
    await compare(`Punctuation, ${behavior}`, "12..", { ...plain, pre_tokenizer: { type: "Punctuation", behavior } });
await compare("Split, Contiguous", "ab--", { ...plain, pre_tokenizer: split("Contiguous", false) });
await compare("Split, inverted", "ab--12", { ...plain, pre_tokenizer: split("Isolated", true) });
await compare("single_word", "a<x>b", { ...plain, added_tokens: [added] });
JS
)
same "$seen" <<'EXPECTED'
BPE: 2 ab 12 | 2 ab 12
Unigram, byte_fallback: 6 <0xE4> <0xB8> <0xAD> <0xE6> <0x96> <0x87> | 1 ??
BPE, prefix ##: 2 ab ##a | 3 a ? a
Punctuation, Isolated: 3 12 . . | 2 12 ..
Punctuation, Removed: 1 12 | 2 12 ..
Split, Contiguous: 2 ab -- | 3 ab - -
Split, inverted: 4 ab - - 12 | 2 - -
single_word: 5 a < x > b | 3 a <x> b
EXPECTED

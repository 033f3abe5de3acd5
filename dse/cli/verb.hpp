#pragma once

// What verbs use: each of their sources includes this header, and then what it is about.

#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/phrases.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/cli/verdict.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::cli {

/// Which processes run a verb when a launcher starts several: all, as ranks of one job (together); each on its own
/// (each); or only the first (first). In the last case the others end at once with 0, so that the exit code of the job
/// is that of the first process.
enum class Ranks : std::uint8_t { together, each, first };

/// A verb: the first words after `pimdse`. `run` gets the flags and arguments that follow and returns an ExitCode; it
/// may throw InputError and the other exceptions that main turns into exit codes.
struct Verb {
    std::string_view name;  ///< "front", or two words, as "dram replay"
    int (*run)(CommandLine const& values);
    Ranks ranks = Ranks::first;
    /// The verb writes a file, so a reader of standard output that exits early (`| head -1`) must not end the process.
    bool writes_file = false;
    std::string (*detail)() = nullptr;  ///< what stands for {} in its page of the manual
};

/// The first words of verbs, each once.
[[nodiscard]] std::vector<std::string> first_words(std::span<Verb const> verbs);

/// The verb that the words begin with; nullptr if they begin with none.
[[nodiscard]] Verb const* verb_of(std::span<Verb const> verbs, std::vector<std::string> const& words);

/// Runs the verb that the words begin with; there is one word at least. For a first word that wants a second one, alone
/// or with --help, it prints what the manual says of it: its second words, and an example. Throws UsageError for words
/// that begin with no verb.
int run_verb(std::span<Verb const> verbs, std::vector<std::string> const& words);

/// Hidden verb: a run starts it as a process of its own, which evaluates quarantined points. Its words are not flags.
inline constexpr std::string_view child_verb = "evaluate-apart";
int run_child(std::vector<std::string> const& arguments);

/// The verbs, each in a file of its own or with those of its first word; main.cpp has their table.
int run_quick(CommandLine const& values);
int run_recommend(CommandLine const& values);
int run_explore(CommandLine const& values);
int run_serve(CommandLine const& values);
int run_evaluate(CommandLine const& values);
int run_export(CommandLine const& values);
int run_watch(CommandLine const& values);
int run_front(CommandLine const& values);
int run_condition(CommandLine const& values);
int run_explain(CommandLine const& values);
int run_flips(CommandLine const& values);
int run_robust(CommandLine const& values);
int run_failures(CommandLine const& values);
int run_report(CommandLine const& values);
int run_merge(CommandLine const& values);
int run_diff(CommandLine const& values);
int run_verify(CommandLine const& values);
int run_validate(CommandLine const& values);
int run_layout(CommandLine const& values);
int run_list(CommandLine const& values);
int run_describe(CommandLine const& values);
int run_new_machine(CommandLine const& values);
int run_calibrate(CommandLine const& values);
int dram_replay(CommandLine const& values);
int dram_check(CommandLine const& values);
int dram_gemv(CommandLine const& values);
int dram_import(CommandLine const& values);
int noc_replay(CommandLine const& values);
int noc_check(CommandLine const& values);
int noc_run(CommandLine const& values);
int links_show(CommandLine const& values);
int links_check(CommandLine const& values);

[[nodiscard]] std::string version();       ///< "0.1.0"
[[nodiscard]] std::string git_revision();  ///< of the build; "unknown" outside a checkout
[[nodiscard]] std::string version_text();  ///< version, revision and libraries, for --version

}  // namespace pimdse::dse::cli

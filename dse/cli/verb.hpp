#pragma once

#include "dse/cli/verdict.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {

/// Which processes run a verb when a launcher starts several: all, as ranks of one job (together); each on its own
/// (each); or only the first (first). In the last case the others end at once with 0, so that the exit code of the job
/// is that of the first process.
enum class Ranks : std::uint8_t { together, each, first };

/// A verb: the first word after `pimdse`. `run` gets the words that follow and returns an ExitCode; it may throw
/// InputError and the other exceptions that main turns into exit codes.
struct Verb {
    std::string_view name;
    int (*run)(std::vector<std::string> const& arguments);
    Ranks ranks = Ranks::first;
    /// The verb writes a file, so a reader of standard output that exits early (`| head -1`) must not end the process.
    bool writes_file = false;
};

/// Runs a verb of two words, such as `dram replay`: calls the function of the second word. With --help or without a
/// second word it prints `help`. Throws UsageError for a word that is not in the table.
int run_words(std::string_view verb, std::string_view help, std::span<Verb const> words,
              std::vector<std::string> const& arguments);

/// What a verb of two words is, by the manual: its second words, and an example.
[[nodiscard]] std::string help_of(std::string_view verb, std::span<Verb const> words);

/// The verbs, each in a file of its own; main.cpp has their table.
int run_evaluate(std::vector<std::string> const& arguments);
int run_export(std::vector<std::string> const& arguments);
int run_merge(std::vector<std::string> const& arguments);
int run_diff(std::vector<std::string> const& arguments);
int run_verify(std::vector<std::string> const& arguments);
int run_flips(std::vector<std::string> const& arguments);
int run_layout(std::vector<std::string> const& arguments);
int run_list(std::vector<std::string> const& arguments);
int run_describe(std::vector<std::string> const& arguments);
int run_new_machine(std::vector<std::string> const& arguments);
int run_calibrate(std::vector<std::string> const& arguments);

/// Hidden verb: a run starts it as a process of its own, which evaluates quarantined points.
inline constexpr std::string_view child_verb = "evaluate-apart";

int run_recommend(std::vector<std::string> const& arguments);
int run_quick(std::vector<std::string> const& arguments);
int run_explore(std::vector<std::string> const& arguments);
int run_serve(std::vector<std::string> const& arguments);
int run_watch(std::vector<std::string> const& arguments);
int run_front(std::vector<std::string> const& arguments);
int run_condition(std::vector<std::string> const& arguments);
int run_explain(std::vector<std::string> const& arguments);
int run_failures(std::vector<std::string> const& arguments);
int run_robust(std::vector<std::string> const& arguments);
int run_report(std::vector<std::string> const& arguments);
int run_child(std::vector<std::string> const& arguments);

int run_validate(std::vector<std::string> const& arguments);
int run_dram(std::vector<std::string> const& arguments);
int run_links(std::vector<std::string> const& arguments);
int run_noc(std::vector<std::string> const& arguments);

[[nodiscard]] std::string version();       ///< "0.1.0"
[[nodiscard]] std::string git_revision();  ///< of the build; "unknown" outside a checkout
[[nodiscard]] std::string version_text();  ///< version, revision and libraries, for --version

}  // namespace pimdse::dse::cli

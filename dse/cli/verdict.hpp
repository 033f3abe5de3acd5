#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {

/// The exit codes, on which scripts rely; docs/commands.md explains each.
enum ExitCode : int {
    complete = 0,
    usage = 2,
    bad_input = 3,
    missing_input = 4,
    some_points_failed = 5,
    no_feasible_point = 6,
    storage_failed = 7,
    mismatch = 8,
    resumable = 75,
};

/// What an exception means to the caller of the program: the sentences to print and the exit code.
struct Verdict {
    std::vector<std::string> sentences;
    ExitCode code;
    /// Prints each sentence on a line of its own to standard error; shortens long ones and replaces control characters.
    void print(std::string_view who = "pimdse") const;
};

[[nodiscard]] Verdict verdict_of(std::exception_ptr const& exception);

/// From now on, want of memory and exceptions that leave a thread end this process as verdict_of() says; a bug aborts
/// it.
void end_by_verdict();

/// Ends a failed process after `seconds`, with the sentences and the exit code of `verdict`, unless it has ended
/// before: points may still be under way whose results are no longer needed. Only the first call has an effect.
void end_within(double seconds, Verdict verdict);

}  // namespace pimdse::dse::cli

#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {

/// What scripts rely on; docs/exit_codes.md says what each means.
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

/// What an exception means to who called the program: sentences to print and the exit code.
struct Verdict {
    std::vector<std::string> sentences;
    ExitCode code;
    /// To standard error, each on a line of its own, however long or odd the words are that it quotes.
    void print(std::string_view who = "pimdse") const;
};

[[nodiscard]] Verdict verdict_of(std::exception_ptr const& exception);

/// For a process that has failed while points are under way, which nobody waits for: ends it after this time with the
/// sentences and the code, if it has not ended by itself. Only the first call counts.
void end_within(double seconds, Verdict verdict);

}  // namespace pimdse::dse::cli

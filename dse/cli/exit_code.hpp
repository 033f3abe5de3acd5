#pragma once

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

}  // namespace pimdse::dse::cli

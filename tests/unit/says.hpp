// Assertions on whole messages without their wording in the test: a test names a message by an id that says what it
// is about, and messages.golden keeps its text. Wording is changed in one place and read in one place.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::testing_support {

// True if `text` is a recorded message `id` of the test suite that runs; otherwise `difference` says what is
// recorded. Names of folders in front of a file's name do not count. With PIMDSE_RECORD_MESSAGES=FILE in the
// environment every message is appended to FILE instead, for messages.py --write.
bool agrees_with_recorded(std::string_view id, const std::string& text, std::ostream* difference);

}  // namespace pimdse::testing_support

namespace pimdse {

// EXPECT_THAT(error_of(file), says("unknown-key")); an id that a loop names has the messages of all its rounds.
MATCHER_P(says, id, std::string("is the recorded message ") + id) {
    return testing_support::agrees_with_recorded(id, std::string(arg), result_listener->stream());
}

// EXPECT_THAT(mistakes, list("two-scenarios")): all messages of a list, in any order.
MATCHER_P(list, id, std::string("are the recorded messages ") + id) {
    std::vector<std::string> sorted(arg.begin(), arg.end());
    std::sort(sorted.begin(), sorted.end());
    std::string all;
    for (const auto& message : sorted) all += message + '\n';
    return testing_support::agrees_with_recorded(id, all, result_listener->stream());
}

}  // namespace pimdse

// What code under test refuses, for assertions on its messages.
#pragma once

#include "sim/base/check.hpp"

#include <string>
#include <vector>

namespace pimdse {

// The message of the error that `work` throws; `accepted` if it throws none.
template <class Error = sim::InputError, class Work>
[[nodiscard]] std::string refusal_by(Work const& work, std::string accepted = "") {
    try {
        work();
    } catch (Error const& error) {
        return error.what();
    }
    return accepted;
}

// The sentences of the InputError that `work` throws; none if it throws none.
template <class Work>
[[nodiscard]] std::vector<std::string> mistakes_by(Work const& work) {
    try {
        work();
    } catch (sim::InputError const& error) {
        return error.sentences();
    }
    return {};
}

}  // namespace pimdse

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <new>
#include <string_view>
#include <system_error>

namespace pimdse::sim {
namespace {

std::string joined(std::vector<std::string> const& sentences) { return fmt::format("{}", fmt::join(sentences, "\n")); }

}  // namespace

InputError::InputError(std::string sentence) : InputError(std::vector<std::string>{std::move(sentence)}) {}

InputError::InputError(std::vector<std::string> sentences)
    : std::runtime_error(joined(sentences)), sentences_(std::move(sentences)) {}

bool InputError::only_unreadable() const {
    return std::ranges::all_of(
        sentences_, [](std::string const& sentence) { return sentence.find(unreadable) != std::string::npos; });
}

ContractViolation::ContractViolation(std::string_view kind, std::string_view what, Caller where)
    : std::logic_error(fmt::format("{} broken: {} ({}:{})", kind, what, where.file, where.line)) {}

bool refused_by_host(std::exception const& error) {
    if (dynamic_cast<std::bad_alloc const*>(&error) != nullptr) return true;
    if (dynamic_cast<std::system_error const*>(&error) != nullptr) return true;
    return std::string_view(error.what()).starts_with("pthread_");  // a thread that TBB could not start
}

}  // namespace pimdse::sim

#include "dse/answers/failure_texts.hpp"

#include "sim/base/check.hpp"

#include <functional>
#include <limits>
#include <utility>

namespace pimdse::dse::answers {
namespace {

std::uint64_t hash(std::string_view rule, std::string_view reason) {
    return std::hash<std::string_view>()(rule) * 31 + std::hash<std::string_view>()(reason);
}

}  // namespace

std::uint64_t FailureTexts::hash_of(std::uint32_t number) const { return hash(rule(number), reason(number)); }

std::uint32_t FailureTexts::add(std::string_view rule, std::string_view reason) {
    auto const hash_of_any = [this](std::uint32_t number) { return hash_of(number); };
    while (known_.size() < size()) known_.add(static_cast<std::uint32_t>(known_.size()), hash_of_any);
    auto const same = [&](std::uint32_t number) {
        return this->rule(number) == rule && this->reason(number) == reason;
    };
    if (auto const known = known_.find(hash(rule, reason), same)) return *known;
    sim::expects(size() < std::numeric_limits<std::uint32_t>::max() - 1, "fewer than 2^32 different failures");
    last_.push_back({std::string(rule).append(reason), static_cast<std::uint32_t>(rule.size())});
    if (last_.size() == per_chunk) full_.push_back(std::make_shared<Chunk const>(std::exchange(last_, {})));
    auto const number = static_cast<std::uint32_t>(size() - 1);
    known_.add(number, hash_of_any);
    return number;
}

}  // namespace pimdse::dse::answers

#include "sim/dram/steady_state.hpp"

#include <numeric>

namespace pimdse::sim::dram {
namespace {

std::uint64_t hash_of(std::vector<std::uint64_t> const& words) {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (auto const word : words) {
        hash = (hash ^ word) * 0xBF58476D1CE4E5B9ULL;
        hash ^= hash >> 29;
    }
    return hash;
}

}  // namespace

SteadyStateDetector::SteadyStateDetector(Mapping const& mapping, Stream const& stream, Options const& options)
    : bit_(mapping.translation_bit()) {
    auto const step = stream.step();
    if (options.fast_forward == FastForward::off || options.window > 0 || step.requests == 0 ||
        bit_ >= mapping.address_bits())
        return;
    std::uint64_t const unit = std::uint64_t{1} << bit_;
    std::uint64_t const steps = unit / std::gcd(unit, step.bytes);
    if (steps * step.requests >= stream.size()) return;
    period_ = steps * step.requests;
    bytes_ = steps * step.bytes;
}

SteadyStateDetector::Verdict SteadyStateDetector::observe(Moment const& moment, Signature const& signature) {
    if (confirming_) {
        confirming_ = false;
        if (moment.now == expected_.now && moment.request == expected_.request && signature == candidate_)
            return Verdict::confirmed;
    }
    auto const [found, fresh] = seen_.try_emplace(hash_of(signature.state), moment);
    if (fresh) {
        if (seen_.size() >= max_moments) period_ = 0;  // stops detecting: too many states
        return Verdict::unknown;
    }
    steady_period_ = {moment.now - found->second.now, moment.request - found->second.request};
    found->second = moment;
    candidate_ = signature;
    resume(moment);
    return Verdict::candidate;
}

void SteadyStateDetector::resume(Moment const& from) {
    expected_ = {from.now + steady_period_.now, from.request + steady_period_.request};
    confirming_ = true;
}

}  // namespace pimdse::sim::dram

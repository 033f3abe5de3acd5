#pragma once

#include "dse/run/evaluation.hpp"
#include "dse/run/findings.hpp"
#include "dse/run/pool.hpp"
#include "sim/base/random.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace pimdse::dse::testing {

/// Evaluates chunks of up to `chunk` tasks and delivers them in an order that a seed decides, `in_flight` of them at a
/// time.
class ShufflingPool final : public run::Pool {
  public:
    ShufflingPool(space::Space const& space, std::uint64_t seed, std::uint64_t chunk, std::size_t in_flight,
                  std::uint64_t most_chunks = ~0ULL)
        : space_(space), seed_(seed), chunk_(chunk), in_flight_(in_flight), chunks_left_(most_chunks) {}

    int threads() const override { return 1; }

    void evaluate(run::Work const& work, std::stop_token) override {
        std::vector<run::Findings> flying;
        bool over = false;
        while (true) {
            while (!over && flying.size() < in_flight_ && chunks_left_ > 0) {
                auto const tasks = work.more(1 + sim::mixed_bits(++seed_) % chunk_);
                over = !tasks;
                if (!tasks || tasks->empty()) break;
                --chunks_left_;
                work.started(*tasks);
                flying.push_back(answered(*tasks));
            }
            if (flying.empty()) return;
            auto const pick = flying.begin() + static_cast<std::ptrdiff_t>(sim::mixed_bits(++seed_) % flying.size());
            run::Findings findings = std::move(*pick);
            flying.erase(pick);
            work.arrived(std::move(findings));
        }
    }

  private:
    run::Findings answered(space::Batch const& tasks) const {
        std::vector<space::Answer> answers;
        for (std::uint64_t i = 0; i < tasks.size(); ++i) answers.push_back(run::answer(space_, tasks.task(i)));
        return run::sift(space_, std::move(answers));
    }

    space::Space const& space_;
    std::uint64_t seed_, chunk_;
    std::size_t in_flight_;
    std::uint64_t chunks_left_;
};

}  // namespace pimdse::dse::testing

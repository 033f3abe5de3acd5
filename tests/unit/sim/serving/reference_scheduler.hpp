// A slow, obvious scheduler: one step at a time, one block and one token at a time, all lists searched from the front.
#pragma once

#include "sim/serving/scheduler.hpp"

#include <algorithm>
#include <cstdint>
#include <list>
#include <set>
#include <stdexcept>
#include <vector>

namespace pimdse::sim::serving::test {

/// A request with the numbers of the blocks that it holds.
struct SlowRequest {
    std::size_t number = 0;
    std::int64_t input = 0, output = 0;
    std::int64_t generated = 0;     // tokens
    std::int64_t cached = 0;        // positions
    std::int64_t target = 0;        // positions to cache before it yields again
    std::set<std::int64_t> held;    // blocks
    std::int64_t now_computed = 0;  // positions in this step
    bool now_yields = false;
    bool brings_prompt = false;  // its positions are cached when it is admitted
};

class SlowScheduler {
  public:
    SlowScheduler(ServiceLoad load, SchedulerSettings settings, StepLaw law)
        : load_(std::move(load)), settings_(settings), law_(std::move(law)) {
        for (std::int64_t block = 0; block < settings_.blocks; ++block) free_.insert(block);
        result_.requests.resize(load_.requests.size());
    }

    Schedule run() {
        while (finished_ < load_.requests.size()) {
            receive();
            if (finished_ == load_.requests.size()) break;
            if (running_.empty() && waiting_.empty()) {
                now_ = load_.requests[received_].arrival;
                continue;
            }
            step();
        }
        return result_;
    }

  private:
    bool may_receive() const {
        if (received_ == load_.requests.size()) return false;
        if (load_.concurrency == 0) return load_.requests[received_].arrival <= now_;
        return static_cast<std::int64_t>(received_ - finished_) < load_.concurrency;
    }

    void receive() {
        while (may_receive()) {
            auto const number = received_++;
            auto const& asked = load_.requests[number];
            result_.requests[number].arrival = load_.concurrency == 0 ? asked.arrival : now_;
            if (whole(asked.input + cached_outputs(asked.output)) > settings_.blocks) {
                result_.requests[number].rejected = true;
                ++result_.rejected;
                ++finished_;
                continue;
            }
            SlowRequest request;
            request.number = number;
            request.input = asked.input;
            request.output = asked.output;
            request.target = asked.input;
            if (asked.has_prompt) {
                request.brings_prompt = true;
                request.generated = 1;
                result_.requests[number].first_token = result_.requests[number].arrival;
            }
            waiting_.push_back(request);
        }
    }

    /// Blocks of a sequence, position by position: the first of each block_tokens takes them, unless a window is full.
    std::int64_t whole(std::int64_t positions) const {
        std::int64_t blocks = settings_.state_blocks;
        for (std::int64_t at = 0; at < positions; at += settings_.block_tokens) {
            blocks += settings_.position_blocks;
            for (auto const& window : settings_.windows)
                if (at < window.positions) blocks += window.blocks;
        }
        return blocks;
    }

    /// Positions of the output that are cached: all but the last token, or all of the last block.
    std::int64_t cached_outputs(std::int64_t output) const {
        if (settings_.tokens_per_step == 1) return output - 1;
        std::int64_t positions = 0;
        while (positions < output) positions += settings_.tokens_per_step;
        return positions;
    }

    /// Chooses the positions of a request in this step; none if it has to wait.
    void choose(SlowRequest& request, std::int64_t budget) const {
        auto const block = settings_.tokens_per_step;
        request.now_computed = 0;
        request.now_yields = false;
        while (request.cached + request.now_computed < request.target && request.now_computed < budget)
            ++request.now_computed;
        bool const complete = request.cached + request.now_computed >= request.target;
        if (block == 1) {
            if (request.cached >= request.target) request.now_computed = 1;
            request.now_yields = complete;
        } else if (complete && request.now_computed + block <= budget) {
            request.now_computed += block;
            request.now_yields = true;
        }
    }

    /// The request to admit next: a preempted one, then by the policy.
    std::list<SlowRequest>::iterator next_waiting() {
        auto best = waiting_.begin();
        for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
            if (result_.requests[it->number].preemptions > 0) return it;
            if (settings_.policy == AdmissionOrder::shortest_prompt && it->input < best->input) best = it;
        }
        return best;
    }

    bool hold(SlowRequest& request, std::int64_t positions) {
        while (static_cast<std::int64_t>(request.held.size()) < whole(positions)) {
            if (free_.empty()) return false;
            request.held.insert(*free_.begin());
            free_.erase(free_.begin());
        }
        return true;
    }

    void release(SlowRequest& request) {
        free_.insert(request.held.begin(), request.held.end());
        request.held.clear();
    }

    void preempt(std::list<SlowRequest>::iterator it) {
        release(*it);
        ++result_.requests[it->number].preemptions;
        ++result_.preemptions;
        it->cached = 0;
        it->brings_prompt = false;
        it->target = it->input + it->generated;
        it->now_computed = 0;
        it->now_yields = false;
        waiting_.splice(waiting_.begin(), running_, it);
    }

    std::int64_t plan_running(std::int64_t budget, bool& preempted) {
        for (auto& request : running_) {
            request.now_computed = 0;
            request.now_yields = false;
        }
        for (auto it = running_.begin(); it != running_.end() && budget > 0;) {
            choose(*it, budget);
            auto const wanted = it->now_computed;
            bool gone = false;
            // Blocks that the request takes before it finds none count as held if it is preempted itself.
            while (!hold(*it, it->cached + wanted)) {
                auto const last = std::prev(running_.end());
                gone = last == it;
                preempt(last);
                preempted = true;
                if (gone) break;
            }
            if (gone) break;
            budget -= wanted;
            ++it;
        }
        return budget;
    }

    void admit(std::int64_t budget) {
        while (!waiting_.empty() && budget > 0 &&
               static_cast<std::int64_t>(running_.size()) < settings_.max_sequences) {
            auto const it = next_waiting();
            auto wanted = it->target + (settings_.tokens_per_step == 1 ? 0 : settings_.tokens_per_step);
            if (it->brings_prompt) ++wanted;
            if (settings_.reserves_output) wanted = it->input + cached_outputs(it->output);
            if (whole(wanted) > static_cast<std::int64_t>(free_.size())) return;
            auto& times = result_.requests[it->number];
            if (times.preemptions == 0) times.scheduled = now_;
            if (it->brings_prompt) it->cached = it->target;
            choose(*it, budget);
            budget -= it->now_computed;
            if (!hold(*it, settings_.reserves_output ? wanted : it->cached + it->now_computed))
                throw std::logic_error("the prompt fits");
            running_.splice(running_.end(), waiting_, it);
        }
    }

    void step() {
        bool preempted = false;
        auto const limit = settings_.max_batched_tokens == 0 ? std::int64_t{1} << 60 : settings_.max_batched_tokens;
        auto const left = plan_running(limit, preempted);
        if (!preempted) admit(left);

        std::set<std::int64_t> all;
        StepWork work;
        for (auto const& request : running_) {
            for (auto const block : request.held)
                if (!all.insert(block).second) throw std::logic_error("a block has two owners");
            if (request.now_computed == 0) continue;
            bool const blocks = settings_.tokens_per_step > 1;
            auto const ahead =
                blocks && request.now_yields ? cached_outputs(request.output - request.generated) : std::int64_t{0};
            if (request.cached >= request.target) {
                work.contexts.push_back(request.cached + 1);
                if (blocks) work.ahead.push_back(ahead);
            } else {
                auto const of_prompt = request.target - request.cached;
                work.chunks.push_back({std::min(request.now_computed, of_prompt), request.cached, ahead});
            }
            if (request.now_yields) ++work.heads;
        }
        if (static_cast<std::int64_t>(all.size() + free_.size()) != settings_.blocks)
            throw std::logic_error("a block was lost");
        result_.peak_blocks = std::max(result_.peak_blocks, static_cast<std::int64_t>(all.size()));

        auto const cost = law_.one(work);
        first_ = cost.first_tokens > 0.0 ? now_ + cost.first_tokens : now_ + cost.seconds;
        now_ += cost.seconds;
        result_.busy += cost.seconds;
        result_.joules += cost.joules;
        result_.end = now_;
        ++result_.steps;
        finish_step();
    }

    void finish_step() {
        for (auto it = running_.begin(); it != running_.end();) {
            auto const here = it++;
            here->cached += here->now_computed;
            if (!here->now_yields) continue;
            auto& times = result_.requests[here->number];
            for (std::int64_t i = 0; i < settings_.tokens_per_step && here->generated < here->output; ++i)
                if (++here->generated == 1) times.first_token = first_;
            if (here->generated < here->output) continue;
            times.last_token = now_;
            release(*here);
            running_.erase(here);
            ++finished_;
        }
    }

    ServiceLoad load_;
    SchedulerSettings settings_;
    StepLaw law_;
    std::list<SlowRequest> running_, waiting_;
    std::set<std::int64_t> free_;
    double now_ = 0.0, first_ = 0.0;
    std::size_t received_ = 0, finished_ = 0;
    Schedule result_;
};

}  // namespace pimdse::sim::serving::test

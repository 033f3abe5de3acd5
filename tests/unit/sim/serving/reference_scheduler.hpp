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
            // The token that is generated last is never cached.
            if (asked.input + asked.output - 1 > settings_.blocks * settings_.block_tokens) {
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
            waiting_.push_back(request);
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
        while (static_cast<std::int64_t>(request.held.size()) * settings_.block_tokens < positions) {
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
        it->target = it->input + it->generated;
        it->now_computed = 0;
        waiting_.splice(waiting_.begin(), running_, it);
    }

    std::int64_t plan_running(std::int64_t budget, bool& preempted) {
        for (auto& request : running_) request.now_computed = 0;
        for (auto it = running_.begin(); it != running_.end() && budget > 0;) {
            auto const wanted = std::min(std::max<std::int64_t>(it->target - it->cached, 1), budget);
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
            it->now_computed = wanted;
            budget -= wanted;
            ++it;
        }
        return budget;
    }

    void admit(std::int64_t budget) {
        while (!waiting_.empty() && budget > 0 &&
               static_cast<std::int64_t>(running_.size()) < settings_.max_sequences) {
            auto const it = next_waiting();
            auto const whole = (it->target + settings_.block_tokens - 1) / settings_.block_tokens;
            if (whole > static_cast<std::int64_t>(free_.size())) return;
            auto& times = result_.requests[it->number];
            if (times.preemptions == 0) times.scheduled = now_;
            it->now_computed = std::min(it->target, budget);
            budget -= it->now_computed;
            if (!hold(*it, it->now_computed)) throw std::logic_error("the prompt fits");
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
            if (request.cached >= request.target)
                work.contexts.push_back(request.cached + 1);
            else
                work.chunks.push_back({request.now_computed, request.cached});
            if (request.cached + request.now_computed >= request.target) ++work.heads;
        }
        if (static_cast<std::int64_t>(all.size() + free_.size()) != settings_.blocks)
            throw std::logic_error("a block was lost");
        result_.peak_blocks = std::max(result_.peak_blocks, static_cast<std::int64_t>(all.size()));

        auto const cost = law_.one(work);
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
            if (here->now_computed == 0 || here->cached < here->target) continue;
            auto& times = result_.requests[here->number];
            if (++here->generated == 1) times.first_token = now_;
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
    double now_ = 0.0;
    std::size_t received_ = 0, finished_ = 0;
    Schedule result_;
};

}  // namespace pimdse::sim::serving::test

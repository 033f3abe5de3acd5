// A slow, obvious scheduler: one step at a time, one block and one token at a time, all lists searched from the front.
#pragma once

#include "sim/serving/scheduler.hpp"

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
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
    bool brings_prompt = false;      // its positions are cached when it is admitted
    std::vector<std::string> units;  // of its path, each with all that is before it
    bool uses_units = false;         // that are kept
    std::int64_t shared = 0;         // blocks of kept units that stand for its own
};

/// A unit of beginnings of prompts that stays in the cache.
struct KeptUnit {
    std::set<std::int64_t> blocks;
    std::int64_t since = 0;  // order in which units were used no more
};

class SlowScheduler {
  public:
    SlowScheduler(ServiceLoad load, SchedulerSettings settings, StepLaw law)
        : load_(std::move(load)), settings_(settings), law_(std::move(law)) {
        for (std::int64_t block = 0; block < settings_.blocks; ++block) free_.insert(block);
        result_.requests.resize(load_.requests.size());
    }

    Schedule run() {
        ends_.resize(load_.requests.size(), -1.0);
        sent_.resize(load_.requests.size());
        while (finished_ < load_.requests.size()) {
            receive();
            if (finished_ == load_.requests.size()) break;
            if (running_.empty() && waiting_.empty()) {
                now_ = next_arrival().first;
                continue;
            }
            step();
        }
        return result_;
    }

  private:
    static constexpr double never = 1e300;

    std::size_t root_of(std::size_t number) const {
        while (load_.requests[number].parent != ServiceRequest::none) number = load_.requests[number].parent;
        return number;
    }
    /// Sessions of which something was sent and something is missing.
    std::int64_t open_sessions() const {
        std::set<std::size_t> begun, missing;
        for (std::size_t i = 0; i < load_.requests.size(); ++i) {
            if (sent_[i]) begun.insert(root_of(i));
            if (ends_[i] < 0.0 && !result_.requests[i].rejected) missing.insert(root_of(i));
        }
        return std::ranges::count_if(begun, [&](auto root) { return missing.contains(root); });
    }
    /// When which request arrives next.
    std::pair<double, std::size_t> next_arrival() const {
        std::pair<double, std::size_t> next(never, 0);
        bool first = true;
        for (std::size_t i = 0; i < load_.requests.size(); ++i) {
            auto const& asked = load_.requests[i];
            if (sent_[i] || result_.requests[i].rejected) continue;
            if (asked.parent == ServiceRequest::none) {
                if (!first) continue;
                first = false;
                if (load_.concurrency == 0) next = std::min(next, {asked.arrival, i});
                if (load_.concurrency > 0 && open_sessions() < load_.concurrency) next = std::min(next, {now_, i});
            } else if (ends_[asked.parent] >= 0.0) {
                next = std::min(next, {std::max(asked.arrival, ends_[asked.parent] + asked.after), i});
            }
        }
        return next;
    }

    void reject(std::size_t number, double arrival) {
        result_.requests[number].rejected = true;
        result_.requests[number].arrival = arrival;
        ++result_.rejected;
        ++finished_;
        for (std::size_t i = 0; i < load_.requests.size(); ++i) {
            if (load_.requests[i].parent != number) continue;
            ++result_.never_sent;
            reject(i, arrival);
        }
    }

    void receive() {
        for (auto next = next_arrival(); next.first <= now_; next = next_arrival()) {
            auto const number = next.second;
            auto const& asked = load_.requests[number];
            sent_[number] = true;
            result_.requests[number].arrival = next.first;
            if (whole(asked.input + cached_outputs(asked.output)) > settings_.blocks) {
                reject(number, next.first);
                continue;
            }
            SlowRequest request;
            request.number = number;
            request.input = asked.input;
            request.output = asked.output;
            request.target = asked.input;
            request.units = units_of(asked);
            if (asked.has_prompt) {
                request.brings_prompt = true;
                request.generated = 1;
                result_.requests[number].first_token = result_.requests[number].arrival;
            }
            waiting_.push_back(request);
        }
    }

    /// The whole units of a path: each is what the parts say up to its last token.
    std::vector<std::string> units_of(ServiceRequest const& asked) const {
        std::vector<std::string> units;
        auto const size = settings_.prefix_units.tokens;
        if (size == 0 || load_.prefixes == nullptr || asked.path == ServiceRequest::none) return units;
        std::string before;
        std::int64_t end = size;
        for (auto const part : load_.prefixes->path(asked.path)) {
            before += std::to_string(part) + " ";
            for (; end <= load_.prefixes->parts[part].end; end += size)
                units.push_back(before + "to " + std::to_string(end));
        }
        return units;
    }

    std::int64_t own_blocks_of(std::int64_t units) const {
        return settings_.position_blocks * (units * settings_.prefix_units.tokens / settings_.block_tokens);
    }
    bool is_used(std::string const& unit) const {
        return std::ranges::any_of(running_, [&](SlowRequest const& request) {
            return request.uses_units && std::ranges::find(request.units, unit) != request.units.end();
        });
    }
    std::int64_t idle_blocks() const {
        std::int64_t blocks = 0;
        for (auto const& [unit, kept] : kept_)
            if (!is_used(unit)) blocks += static_cast<std::int64_t>(kept.blocks.size());
        return blocks;
    }
    std::int64_t available() const { return static_cast<std::int64_t>(free_.size()) + idle_blocks(); }

    /// A free block; evicts the unit that nobody has used for longest if there is none.
    std::int64_t take_block() {
        if (free_.empty()) {
            auto oldest = kept_.end();
            for (auto it = kept_.begin(); it != kept_.end(); ++it)
                if (!is_used(it->first) && (oldest == kept_.end() || it->second.since < oldest->second.since))
                    oldest = it;
            if (oldest == kept_.end()) throw std::logic_error("there is a block to take");
            free_.insert(oldest->second.blocks.begin(), oldest->second.blocks.end());
            kept_.erase(oldest);
            ++result_.evictions;
        }
        auto const block = *free_.begin();
        free_.erase(free_.begin());
        return block;
    }

    /// What the request has computed up to a position stays: its own blocks become those of new units.
    void keep_own(SlowRequest& request, std::int64_t positions) {
        for (std::size_t i = 0; i < request.units.size() && request.uses_units; ++i) {
            auto const end = static_cast<std::int64_t>(i + 1) * settings_.prefix_units.tokens;
            if (end > positions || kept_.contains(request.units[i])) continue;
            auto& unit = kept_[request.units[i]];
            while (static_cast<std::int64_t>(unit.blocks.size()) < own_blocks_of(1)) {
                unit.blocks.insert(*request.held.begin());
                request.held.erase(request.held.begin());
                ++request.shared;
            }
        }
    }
    /// The same where a unit takes more blocks than its positions, as far as there are any.
    void keep_copies(SlowRequest& request) {
        for (std::size_t i = 0; i < request.units.size() && request.uses_units; ++i) {
            auto const end = static_cast<std::int64_t>(i + 1) * settings_.prefix_units.tokens;
            if (end > request.cached) break;
            if (kept_.contains(request.units[i])) continue;
            if (available() < settings_.prefix_units.blocks) break;
            std::set<std::int64_t> blocks;
            while (static_cast<std::int64_t>(blocks.size()) < settings_.prefix_units.blocks)
                blocks.insert(take_block());
            kept_[request.units[i]].blocks = blocks;
        }
    }
    bool units_are_blocks() const { return settings_.prefix_units.blocks == own_blocks_of(1); }

    /// What a request finds when it is admitted: positions that it need not compute.
    std::int64_t find(SlowRequest& request, std::int64_t& idle_of_path) const {
        std::int64_t found = 0, blocks = 0;
        for (auto const& unit : request.units) {
            if (!kept_.contains(unit)) break;
            ++found;
            blocks += static_cast<std::int64_t>(kept_.at(unit).blocks.size());
            if (!is_used(unit)) idle_of_path += static_cast<std::int64_t>(kept_.at(unit).blocks.size());
        }
        auto const size = settings_.prefix_units.tokens;
        request.uses_units = false;
        request.shared = 0;
        if (request.units.empty()) return 0;
        auto const shared = own_blocks_of(std::min(found, request.target / size));
        auto const all = whole(request.input + cached_outputs(request.output));
        if (blocks + all - shared > settings_.blocks) {
            idle_of_path = 0;
            return 0;
        }
        request.uses_units = true;
        request.shared = shared;
        return std::min(found, (request.target - 1) / size) * size;
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
        auto const wanted = whole(positions) - request.shared;
        if (wanted - static_cast<std::int64_t>(request.held.size()) > available()) return false;
        while (static_cast<std::int64_t>(request.held.size()) < wanted) request.held.insert(take_block());
        return true;
    }

    /// A request in running_ gives its blocks back.
    void release(SlowRequest& request) {
        if (units_are_blocks()) keep_own(request, request.cached);
        free_.insert(request.held.begin(), request.held.end());
        request.held.clear();
        if (!units_are_blocks()) keep_copies(request);
        request.uses_units = false;
        for (auto unit = request.units.rbegin(); unit != request.units.rend(); ++unit)
            if (kept_.contains(*unit) && !is_used(*unit)) kept_[*unit].since = ++clock_;
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
            note_computed(*it);
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
            std::int64_t idle_of_path = 0;
            auto const found = it->brings_prompt ? 0 : find(*it, idle_of_path);
            if (whole(wanted) - it->shared > available() - idle_of_path) return;
            auto& times = result_.requests[it->number];
            if (times.preemptions == 0) times.scheduled = now_;
            it->cached = it->brings_prompt ? it->target : found;
            result_.reused += found;
            running_.splice(running_.end(), waiting_, it);
            choose(*it, budget);
            budget -= it->now_computed;
            if (!hold(*it, settings_.reserves_output ? wanted : it->cached + it->now_computed))
                throw std::logic_error("the prompt fits");
            note_computed(*it);
        }
    }

    void note_computed(SlowRequest& request) {
        if (request.cached >= request.target) return;
        result_.computed += std::min(request.now_computed, request.target - request.cached);
        if (units_are_blocks()) keep_own(request, request.cached + request.now_computed);
    }

    void step() {
        bool preempted = false;
        auto const limit = settings_.max_batched_tokens == 0 ? std::int64_t{1} << 60 : settings_.max_batched_tokens;
        auto const left = plan_running(limit, preempted);
        if (!preempted) admit(left);
        std::int64_t positions = 0;
        for (auto const& request : running_) positions += request.now_computed;
        result_.peak_tokens = std::max(result_.peak_tokens, positions);
        result_.peak_sequences = std::max(result_.peak_sequences, static_cast<std::int64_t>(running_.size()));

        std::set<std::int64_t> all, idle;
        for (auto const& [unit, kept] : kept_)
            for (auto const block : kept.blocks)
                if (!(is_used(unit) ? all : idle).insert(block).second)
                    throw std::logic_error("a block has two owners");
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
        if (static_cast<std::int64_t>(all.size() + idle.size() + free_.size()) != settings_.blocks)
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
            ends_[here->number] = now_;
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
    std::size_t finished_ = 0;
    std::vector<double> ends_;  // of complete requests; negative: of others
    std::vector<bool> sent_;
    std::map<std::string, KeptUnit> kept_;
    std::int64_t clock_ = 0;
    Schedule result_;
};

}  // namespace pimdse::sim::serving::test

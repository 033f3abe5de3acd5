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
    double ready = 0.0;              // when what it did not compute has arrived
};

/// A unit of beginnings of prompts that stays in the cache.
struct KeptUnit {
    std::set<std::int64_t> blocks;
    std::int64_t since = 0;  // order in which units were used no more
};

/// What transfers to and from the tier know of the units whose last tokens are in the same part of a path.
struct PartTransfers {
    std::set<std::int64_t> in_tier;  // ends of units
    std::int64_t since = 0;          // order in which units were stored
    double stored = 0.0, there = 0.0;
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
        auto const& tier = settings_.tier;
        result_.joules += static_cast<double>(fetched_) * tier.fetch_joules +
                          static_cast<double>(result_.moved_units - fetched_) * tier.store_joules;
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
            store(oldest->first);
            kept_.erase(oldest);
            ++result_.evictions;
        }
        auto const block = *free_.begin();
        free_.erase(free_.begin());
        return block;
    }

    static std::string part_of(std::string const& unit) { return unit.substr(0, unit.find("to ")); }
    static std::int64_t end_of(std::string const& unit) { return std::stoll(unit.substr(unit.find("to ") + 3)); }
    bool is_in_tier(std::string const& unit) const {
        auto const part = parts_.find(part_of(unit));
        return part != parts_.end() && part->second.in_tier.contains(end_of(unit));
    }
    /// An evicted unit goes to the tier; where that is full, the part goes that was stored longest ago, its end first.
    void store(std::string const& unit) {
        auto const& tier = settings_.tier;
        if (tier.units == 0) return;
        auto& part = parts_[part_of(unit)];
        store_link_ = std::max({store_link_, now_, part.there}) + tier.store_seconds;
        part.stored = store_link_;
        part.since = ++clock_;
        part.in_tier.insert(end_of(unit));
        ++result_.moved_units;
        std::int64_t held = 0;
        for (auto const& [name, one] : parts_) held += static_cast<std::int64_t>(one.in_tier.size());
        if (held <= tier.units) return;
        auto oldest = parts_.end();
        for (auto it = parts_.begin(); it != parts_.end(); ++it)
            if (!it->second.in_tier.empty() && (oldest == parts_.end() || it->second.since < oldest->second.since))
                oldest = it;
        oldest->second.in_tier.erase(std::prev(oldest->second.in_tier.end()));
        if (held - 1 > tier.units) throw std::logic_error("the tier holds more than it can");
    }
    /// When these units would have come over the link, part by part.
    double link_after(std::vector<std::string> const& units) const {
        std::map<std::string, std::int64_t> of_part;
        std::vector<std::string> order;
        for (auto const& unit : units)
            if (of_part[part_of(unit)]++ == 0) order.push_back(part_of(unit));
        double free = fetch_link_;
        for (auto const& part : order)
            free = std::max({free, now_, parts_.at(part).stored}) +
                   static_cast<double>(of_part[part]) * settings_.tier.fetch_seconds;
        return free;
    }
    /// Which units of its prompt a request fetches that follow the first `found`.
    std::vector<std::string> to_fetch(SlowRequest const& request, std::int64_t found) const {
        std::vector<std::string> units;
        auto const size = settings_.prefix_units.tokens;
        auto at = static_cast<std::size_t>(found);
        for (; at < request.units.size() && is_in_tier(request.units[at]); ++at)
            if (static_cast<std::int64_t>(at + 1) * size < request.target) units.push_back(request.units[at]);
        auto const reuse = settings_.tier.reuse;
        if (units.empty() || load_.requests[request.number].has_prompt || reuse == TierReuse::compute) return {};
        if (reuse == TierReuse::fetch) return units;
        auto const rest = [&](std::int64_t known) {
            return law_.one({{{request.target - known * size, known * size}}, {}, 1}).seconds;
        };
        double const begins = std::max(now_, there(request, found));
        auto const more = static_cast<std::int64_t>(units.size());
        double const arrives = std::max(begins, link_after(units) + settings_.tier.latency);
        return arrives + rest(found + more) <= begins + rest(found) ? units : std::vector<std::string>();
    }
    /// When the first units of a request have arrived in the cache.
    double there(SlowRequest const& request, std::int64_t found) const {
        double time = 0.0;
        for (std::int64_t i = 0; i < found; ++i) {
            auto const part = parts_.find(part_of(request.units[static_cast<std::size_t>(i)]));
            if (part != parts_.end()) time = std::max(time, part->second.there);
        }
        return time;
    }
    /// A running request moves units from the tier to the cache.
    void fetch(SlowRequest& request, std::vector<std::string> const& units) {
        if (units.empty()) return;
        fetch_link_ = link_after(units);
        for (auto const& unit : units) {
            auto& part = parts_[part_of(unit)];
            part.in_tier.erase(end_of(unit));
            part.there = fetch_link_ + settings_.tier.latency;
            request.ready = std::max(request.ready, part.there);
            kept_[unit] = {};
        }
        for (auto const& unit : units) {
            std::set<std::int64_t> blocks;
            while (static_cast<std::int64_t>(blocks.size()) < settings_.prefix_units.blocks)
                blocks.insert(take_block());
            kept_[unit].blocks = blocks;
        }
        auto const count = static_cast<std::int64_t>(units.size());
        fetched_ += count;
        result_.moved_units += count;
        result_.fetched += count * settings_.prefix_units.tokens;
    }
    /// Positions of its prompt that come over the link of prompts.
    void receive_prompt(SlowRequest& request, std::int64_t positions) {
        if (positions == 0) return;
        prompt_link_ = std::max(prompt_link_, now_) + settings_.prompt_link.seconds(positions);
        result_.joules += settings_.prompt_link.joules(positions);
        result_.received += positions;
        request.ready = std::max(request.ready, prompt_link_);
    }
    /// Whether the request waits for what it did not compute.
    bool waits(SlowRequest& request) {
        if (request.ready > now_) return true;
        if (request.ready > 0.0 && units_are_blocks()) keep_own(request, request.cached);
        request.ready = 0.0;
        return false;
    }

    /// What the request has computed up to a position stays: its own blocks become those of new units.
    void keep_own(SlowRequest& request, std::int64_t positions) {
        for (std::size_t i = 0; i < request.units.size() && request.uses_units; ++i) {
            auto const end = static_cast<std::int64_t>(i + 1) * settings_.prefix_units.tokens;
            if (end > positions || kept_.contains(request.units[i])) continue;
            auto& unit = kept_[request.units[i]];
            leave_tier(request.units[i]);
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
            leave_tier(request.units[i]);
        }
    }
    void leave_tier(std::string const& unit) {
        if (is_in_tier(unit)) parts_[part_of(unit)].in_tier.erase(end_of(unit));
    }
    bool units_are_blocks() const { return settings_.prefix_units.blocks == own_blocks_of(1); }

    /// What a request finds when it is admitted: positions that it need not compute, of at most `most`; `fetched` of
    /// its units are in the tier.
    std::int64_t find(SlowRequest& request, std::int64_t most, std::int64_t& idle_of_path,
                      std::vector<std::string>& fetched) {
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
        request.ready = 0.0;
        if (request.units.empty()) return 0;
        auto const all = whole(request.input + cached_outputs(request.output));
        for (fetched = to_fetch(request, found);; fetched.clear()) {
            auto const units = found + static_cast<std::int64_t>(fetched.size());
            auto const more = static_cast<std::int64_t>(fetched.size()) * settings_.prefix_units.blocks;
            auto const shared = own_blocks_of(std::min(units, request.target / size));
            if (blocks + more + all - shared <= settings_.blocks) {
                request.uses_units = true;
                request.shared = shared;
                request.ready = there(request, found);
                return std::min(units, most / size) * size;
            }
            if (fetched.empty()) {
                idle_of_path = 0;
                return 0;
            }
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
            if (waits(*it)) {
                ++it;
                continue;
            }
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
            std::vector<std::string> fetched;
            bool const receives = it->brings_prompt && settings_.prompt_link.seconds;
            auto const found = it->brings_prompt && !receives
                                   ? 0
                                   : find(*it, receives ? it->target : it->target - 1, idle_of_path, fetched);
            auto const more = static_cast<std::int64_t>(fetched.size()) * settings_.prefix_units.blocks;
            if (whole(wanted) - it->shared + more > available() - idle_of_path) return;
            auto& times = result_.requests[it->number];
            if (times.preemptions == 0) times.scheduled = now_;
            it->cached = it->brings_prompt ? it->target : found;
            result_.reused += found - static_cast<std::int64_t>(fetched.size()) * settings_.prefix_units.tokens;
            running_.splice(running_.end(), waiting_, it);
            fetch(*it, fetched);
            if (receives) receive_prompt(*it, it->target - found);
            it->now_computed = 0;
            it->now_yields = false;
            if (!waits(*it)) choose(*it, budget);
            budget -= it->now_computed;
            if (!hold(*it, settings_.reserves_output ? wanted : it->cached + it->now_computed))
                throw std::logic_error("the prompt fits");
            if (it->now_computed > 0) note_computed(*it);
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
        double ready = never;
        for (auto const& request : running_)
            if (request.ready > now_) ready = std::min(ready, request.ready);
        if (ready < never && work.chunks.empty() && work.contexts.empty()) {
            now_ = std::min(ready, next_arrival().first);
            return;
        }

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
    std::map<std::string, PartTransfers> parts_;
    double store_link_ = 0.0, fetch_link_ = 0.0, prompt_link_ = 0.0;
    std::int64_t clock_ = 0, fetched_ = 0;
    Schedule result_;
};

}  // namespace pimdse::sim::serving::test

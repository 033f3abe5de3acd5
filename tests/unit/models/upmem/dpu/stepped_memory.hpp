#pragma once

#include "models/upmem/dpu/memory.hpp"

#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace pimdse::models::upmem::dpu {

/// The memory side stepped one memory cycle at a time, place by place: slow and obvious, to hold BankMemory against.
class SteppedMemory {
  public:
    explicit SteppedMemory(BankTiming timing) : t_(timing) {}

    void accept(Issued const& command) { input_.push_back(command); }

    void cycle(std::int64_t m) {
        take_command();
        if (!ordered_.empty()) commands_.push_back(take(ordered_));
        if (!bank_in_ && !commands_.empty()) bank_in_ = take(commands_);
        if (!done_.empty()) acknowledge(take(done_), m);
        schedule(m);
        start(m);
        tick(m);
    }

    /// Commands whose accesses are all acknowledged, in that order; the caller takes them away.
    std::deque<int> finished;
    [[nodiscard]] bool idle() const { return outstanding_.empty() && input_.empty() && finished.empty(); }

    std::int64_t accesses = 0;  ///< that have left the bus
    std::int64_t activations = 0, precharges = 0;
    std::vector<std::pair<char const*, std::int64_t>> log;  ///< what happened in which memory cycle

  private:
    enum class What { activate, access, precharge };
    struct Item {
        What what;
        std::int64_t row;
        int tasklet;
    };
    struct Place {
        std::optional<Item> item;
        std::int64_t timer = 0;
        void put(Item const& i, std::int64_t time) {
            item = i;
            timer = time;
        }
    };
    template <class T>
    static T take(std::deque<T>& from) {
        T const first = from.front();
        from.pop_front();
        return first;
    }

    void take_command() {
        if (input_.empty()) return;
        Issued const c = take(input_);
        outstanding_[c.tasklet] = c.bytes / t_.access_bytes;
        for (std::int64_t at = c.mram; at < std::int64_t{c.mram} + c.bytes; at += t_.access_bytes)
            fresh_.push_back({What::access, at / t_.row_bytes, c.tasklet});
    }

    void acknowledge(Item const& item, std::int64_t m) {
        if (item.what != What::access) return;
        log.emplace_back("acknowledged", m);
        if (--outstanding_[item.tasklet] > 0) return;
        outstanding_.erase(item.tasklet);
        finished.push_back(item.tasklet);
    }

    void schedule(std::int64_t m) {
        if (!fresh_.empty()) log.emplace_back("cut", m);
        waiting_.insert(waiting_.end(), fresh_.begin(), fresh_.end());
        fresh_.clear();
        if (waiting_.empty()) return;
        auto chosen =
            std::find_if(waiting_.begin(), waiting_.end(), [&](Item const& i) { return row_ && i.row == *row_; });
        if (chosen == waiting_.end()) {
            chosen = waiting_.begin();
            if (row_) ordered_.push_back({What::precharge, *row_, -1});
            ordered_.push_back({What::activate, chosen->row, -1});
            row_ = chosen->row;
        }
        ordered_.push_back(*chosen);
        waiting_.erase(chosen);
    }

    void start(std::int64_t m) {
        if (!bank_in_) return;
        bool const activate = bank_in_->what == What::activate && !act_.item && !open_;
        bool const access = bank_in_->what == What::access && !io_.item && open_;
        bool const precharge = bank_in_->what == What::precharge && !act_.item && !io_.item && !bus_.item && !pre_.item;
        if (!activate && !access && !precharge) return;
        if (activate) act_.put(*bank_in_, t_.t_ras);
        if (access) io_.put(*bank_in_, t_.t_cl);
        if (precharge) pre_.put(*bank_in_, t_.t_rp);
        activations += activate ? 1 : 0;
        precharges += precharge ? 1 : 0;
        log.emplace_back(activate ? "activate" : access ? "access" : "precharge", m);
        bank_in_.reset();
    }

    void tick(std::int64_t m) {
        if (act_.item && act_.timer == t_.t_ras - t_.t_rcd) {
            open_ = act_.item->row;
            log.emplace_back("open", m);
        }
        if (act_.item && act_.timer <= 0) finish(act_);
        if (io_.item && io_.timer <= 0 && !bus_.item) {
            bus_.put(*io_.item, t_.t_bl);
            io_.item.reset();
            log.emplace_back("bus", m);
        }
        if (bus_.item && bus_.timer <= 0) {
            ++accesses;
            finish(bus_);
        }
        if (pre_.item && pre_.timer <= 0) {
            open_.reset();
            log.emplace_back("closed", m);
            finish(pre_);
        }
        for (auto* place : {&act_, &io_, &bus_, &pre_}) place->timer -= place->item ? 1 : 0;
    }

    void finish(Place& place) {
        done_.push_back(*place.item);
        place.item.reset();
    }

    BankTiming t_;
    std::deque<Issued> input_;
    std::map<int, std::int64_t> outstanding_;
    std::vector<Item> fresh_, waiting_;
    std::optional<std::int64_t> row_, open_;
    std::deque<Item> ordered_, commands_, done_;
    std::optional<Item> bank_in_;
    Place act_, io_, bus_, pre_;
};

}  // namespace pimdse::models::upmem::dpu

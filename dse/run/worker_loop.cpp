#include "dse/run/worker_loop.hpp"

#include "dse/run/chunk_runner.hpp"
#include "dse/run/dispatcher.hpp"
#include "dse/run/liveness.hpp"
#include "dse/run/messages.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace pimdse::dse::run {

void work_for_rank_0(Communicator& ranks, space::Space const& space, WorkSettings const& settings) {
    auto const launcher = ::getppid();
    ChunkRunner runner(space, settings);
    BackOff back_off;
    RunningTime time;
    double last_received = 0.0;
    double last_sent = 0.0;
    bool reported_starving = false;  // since the last chunk was received
    while (true) {
        bool busy = false;
        while (auto message = ranks.receive()) {
            last_received = time.seconds();
            busy = true;
            if (message->tag == Tag::recall || message->tag == Tag::stop) runner.recall();
            if (message->tag == Tag::stop) return ranks.send(0, Tag::stop, {});
            if (message->tag != Tag::task) continue;
            runner.submit(run::read_chunk(message->bytes));
            reported_starving = false;
        }
        while (auto finished = runner.poll()) {
            ranks.send(0, Tag::result, write_finished(*finished));
            last_sent = time.seconds();
            busy = true;
        }
        if (!reported_starving && runner.starving(chunks_in_flight)) {
            ranks.send(0, Tag::starving, {});
            reported_starving = true;
        }
        if (time.seconds() - last_sent > seconds_between_signs_of_life) {
            ranks.send(0, Tag::alive, {});
            last_sent = time.seconds();
        }
        runner.add_suspended(time.turn());
        runner.check_point_times();
        if (time.seconds() - last_received > settings.silence_seconds)
            settings.give_up(fmt::format("the coordinator has sent no message for {} s", settings.silence_seconds));
        if (::getppid() != launcher) settings.give_up("the MPI launcher has ended");
        busy ? back_off.something_happened() : back_off.nothing_happened();
    }
}

}  // namespace pimdse::dse::run

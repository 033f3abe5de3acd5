#include "options.hpp"

#include <boost/program_options.hpp>
#include <cstdlib>
#include <iostream>
#include <string>

namespace pimdse::scale {
namespace {

namespace po = boost::program_options;

po::options_description flags(Options& options, std::string& keep) {
    po::options_description description("Without --points: tables of efficiency. With it: one run, as JSON");
    auto& machine = options.machine;
    auto add = description.add_options();
    add("help", "this list");
    add("ranks", po::value(&options.ranks)->multitoken(), "one or several");
    add("threads", po::value(&machine.threads), "per rank");
    add("slowest", po::value(&machine.slowest_speed), "ranks are this fast to 1");
    add("seconds", po::value(&options.seconds), "of work per thread");
    add("latency", po::value(&machine.latency), "s");
    add("receive", po::value(&machine.receive_seconds), "s of the coordinator per message");
    add("send", po::value(&machine.send_seconds), "s of the coordinator per chunk");
    add("answer", po::value(&machine.result_seconds), "s of the coordinator per answer");
    add("longest-nap", po::value(&machine.longest_nap), "s");
    add("points", po::value(&options.points), "of one run");
    add("mean", po::value(&options.cost.mean), "s a point costs");
    add("spread", po::value<double>(), "points cost 1 to so many times the cheapest");
    add("lognormal", po::value<double>(), "standard deviation of the logarithm of what points cost");
    add("regions", po::value<double>(), "runs of ids cost 1 or so many times the cheapest");
    add("keep", po::value(&keep), "all or front");
    return description;
}

}  // namespace

Options read_options(int count, char** words) {
    Options options;
    std::string keep = "all";
    auto const description = flags(options, keep);
    po::variables_map values;
    try {
        po::store(po::parse_command_line(count, words, description), values);
        po::notify(values);
    } catch (po::error const& error) {
        std::cerr << error.what() << "\n" << description;
        std::exit(2);
    }
    if (values.contains("help")) {
        std::cout << description;
        std::exit(0);
    }
    if (values.contains("spread") && values["spread"].as<double>() > 1.0) {
        options.cost.shape = Cost::Shape::spread;
        options.cost.width = values["spread"].as<double>();
    }
    if (values.contains("lognormal")) {
        options.cost.shape = Cost::Shape::lognormal;
        options.cost.width = values["lognormal"].as<double>();
    }
    if (values.contains("regions")) {
        options.cost.shape = Cost::Shape::regions;
        options.cost.width = values["regions"].as<double>();
    }
    if (keep == "front") options.keep = dse::space::Keep::front;
    options.machine.ranks = options.ranks.front();
    return options;
}

}  // namespace pimdse::scale

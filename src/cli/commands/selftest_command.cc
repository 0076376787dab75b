#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/environment.h"
#include "base/json_text.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/settings.h"
#include "engine/engine_options.h"
#include "engine/selftest.h"

namespace p2mpp::cli {
namespace {
struct SelftestArguments {
  std::vector<std::string> precisions;  // empty: all

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(precisions, {"--precision", "Precisions, such as fp32,bf16 (default: all that a device supports)", "NAME,...",
                       one_of(precision_choices()), "Checks"});
  }
};

// JSON has neither infinity nor NaN.
Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const SelftestCheck& check) {
  Json json = {{"device", check.device},
               {"precision", check.precision},
               {"check", check.what},
               {"error", finite_or_null(check.error)},
               {"tolerance", finite_or_null(check.tolerance)},
               {"passed", check.passed()}};
  if (!check.problem.empty()) json["problem"] = check.problem;
  return json;
}

Json to_json(const SelftestRate& rate) {
  return {{"device", rate.device},
          {"precision", rate.precision},
          {"copied_gb_per_s", finite_or_null(rate.copied_gb_per_s)},
          {"product_gflop_per_s", finite_or_null(rate.product_gflop_per_s)},
          {"start_check_ms", finite_or_null(rate.start_check_ms)}};
}

std::string format_line(const SelftestCheck& check) {
  const std::string outcome =
      check.problem.empty() ? fmt::format("{:.1e} (at most {:.1e})", check.error, check.tolerance) : check.problem;
  return fmt::format("{:<6}  {:<15}  {:<4}  {}: {}\n", check.passed() ? "ok" : "FAILED", check.device, check.precision,
                     check.what, outcome);
}

std::string format_line(const SelftestRate& rate) {
  const std::string product = std::isfinite(rate.product_gflop_per_s)
                                  ? fmt::format("{:.0f} GFLOP/s in a matrix product", rate.product_gflop_per_s)
                                  : "no matrix product to measure";
  const std::string check = std::isfinite(rate.start_check_ms)
                                ? fmt::format(", {:.0f} ms for the check at an engine's start", rate.start_check_ms)
                                : "";
  return fmt::format("rate    {:<15}  {:<4}  {:.1f} GB/s copied in memory, {}{}\n", rate.device, rate.precision,
                     rate.copied_gb_per_s, product, check);
}

void print_environment() {
  for (const auto& [name, value] : environment_facts(describe_environment(Engine::libtorch_version()))) {
    print(fmt::format("{:<17} {}\n", name, value));
  }
}

Json document(const SelftestReport& report) {
  Json json = {{"environment", p2mpp::to_json(describe_environment(Engine::libtorch_version()))},
               {"passed", report.passed()},
               {"note", report.note},
               {"checks", Json::array()},
               {"rates", Json::array()}};
  for (const SelftestCheck& check : report.checks) json["checks"].push_back(to_json(check));
  for (const SelftestRate& rate : report.rates) json["rates"].push_back(to_json(rate));
  return json;
}

ExitCode run_command(const std::vector<std::string>& precisions, const Settings& settings) {
  const SelftestOptions options{
      .device = settings.engine.device,
      .precisions = precisions.empty() ? std::vector<std::string>{settings.engine.precision} : precisions,
      .instruction_set = settings.engine.instruction_set,
      .threads = settings.engine.threads};
  bool is_first = true;  // nothing is printed for options that are refused
  const SelftestReport report = run_selftest(options, [&settings, &is_first](const SelftestCheck& check) {
    if (settings.json) return;
    if (std::exchange(is_first, false)) print_environment();
    print(format_line(check));
  });
  if (!report.note.empty()) spdlog::info("{}", report.note);
  const auto failed = std::ranges::count_if(report.checks, [](const SelftestCheck& each) { return !each.passed(); });
  if (settings.json) {
    print_json(document(report));
  } else {
    for (const SelftestRate& rate : report.rates) print(format_line(rate));
    print(fmt::format("{} checks, {} failed\n", report.checks.size(), failed));
  }
  if (failed > 0) spdlog::error("{} of {} checks failed", failed, report.checks.size());
  return failed > 0 ? ExitCode::kFailed : ExitCode::kDone;
}

}  // namespace

void add_selftest_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<SelftestArguments>();
  CLI::App* command = app.add_subcommand("selftest", "Check that this machine computes correctly");
  add_options(*command, *options);
  command->footer(
      R"(Runs each kernel of the backend fused on small random inputs and compares the results with plain loops in
double precision: on the CPU with every instruction set that it supports and, if there is one, on a CUDA device
(--device selects one of them). Then does the same with whole networks, from images to vertices. Prints each error
relative to the largest value, and the speed of memory and of a matrix product. Needs no model and no files. The exit
code is 1 if an error exceeds its tolerance. If a mesh looks wrong or p2mpp fails, run this and attach its output to
the report.

Examples:
  p2mpp selftest
  p2mpp selftest --device cuda --precision bf16
  p2mpp selftest --json > selftest.json)");
  command->callback([options, &settings, &exit_code] { exit_code = run_command(options->precisions, settings); });
}

}  // namespace p2mpp::cli

#include "cli/commands/evaluation_run.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "base/table.h"
#include "cli/support/console.h"
#include "engine/computation.h"
#include "eval/engine_facts.h"

namespace p2mpp::cli {
namespace {

constexpr std::size_t kMaxPrintedFailures = 20;

void print_failures(const EvaluationSummary& summary) {
  if (summary.failures.empty()) return;
  std::vector<std::pair<const SampleResult*, std::size_t>> groups;  // the first of each reason, and their number
  std::map<std::string, std::size_t> group_of;
  for (const SampleResult& result : summary.failures) {
    const auto [found, is_new] = group_of.emplace(reason_without_file(result.id, result.reason), groups.size());
    if (is_new) groups.emplace_back(&result, 0);
    ++groups[found->second].second;
  }
  print("\n");
  for (std::size_t i = 0; i < std::min(groups.size(), kMaxPrintedFailures); ++i) {
    const auto& [first, count] = groups[i];
    const std::string_view what = first->failed() ? "failed" : "not scored";
    print(fmt::format("{}: line {}: {}: {}\n", what, first->line, first->id, first->reason));
    if (count > 1) print(fmt::format("  and {} more for the same reason\n", count - 1));
  }
  if (groups.size() > kMaxPrintedFailures) {
    print(fmt::format("and {} more reasons, see results.csv\n", groups.size() - kMaxPrintedFailures));
  }
}

EvaluationPictures draw_or_note(const std::function<EvaluationPictures()>& draw) {
  try {
    return draw();
  } catch (const std::exception& error) {
    return {{}, fmt::format("No pictures: {}", error.what())};
  }
}

void write_page(const std::filesystem::path& file, const Evaluation& evaluation, const EvaluationSummary& summary,
                const Json& document, const EvaluationPictures& pictures) {
  if (!pictures.note.empty()) spdlog::warn("report.html: {}", pictures.note);
  try {
    for (const PictureGroup& group : pictures.groups) {
      for (const PicturedSample& sample : group.samples) {
        if (sample.viewer.empty()) continue;
        write_file_atomically(file.parent_path() / sample.viewer_file(), sample.viewer);
      }
    }
    write_file_atomically(file, evaluation_page(evaluation, summary, document, pictures));
  } catch (const DiskError&) {
    throw;
  } catch (const std::exception& error) {
    spdlog::warn("the page was not written: {}", error.what());
  }
}

void print_summary(const EvaluationSummary& summary) {
  print(fmt::format("{} of {} samples reconstructed, {} failed, {} not scored\n\n", summary.reconstructed,
                    summary.listed, summary.failed, summary.not_scored));
  print(format_table(time_table(summary)));
  print(fmt::format("\nthroughput: {} samples/s computing, {} samples/s end to end\n",
                    fixed_cell(summary.compute_throughput(), 3), fixed_cell(summary.end_to_end_throughput(), 3)));
  if (summary.scores.all().count > 0) {
    print("\n" + format_table(score_table(summary.scores)));
    print(score_legend());
  }
  print_failures(summary);
}

}  // namespace

EvaluationSettings describe_run(const EvaluationPaths& paths, const Settings& settings, const Engine& engine) {
  const bool is_ours = engine.backend() == "fused";
  EvaluationSettings run{
      .list = {},
      .limit = 0,
      .shard = {},
      .options = {.images_root = paths.images_root,
                  .truth_root = paths.truth_root,
                  .out = paths.out,
                  .reading = {.trained_views = view_indices(settings, engine.model()),
                              .max_pixels = settings.max_pixels},
                  .stage_views = stage_views(settings),
                  .batch = static_cast<std::size_t>(engine.batch()),
                  .run = paths.run,
                  .start = read_initial_mesh(paths.run),
                  .find_neighbours = is_ours ? neighbour_finder(engine.device().device) : NeighbourFinder{},
                  .trained_views = engine.model().trained_views,
                  .on_warning = [](const std::string& line) { spdlog::warn("{}", line); }},
      .device = to_string(engine.device().device),
      .backend = std::string(engine.backend()),
      .precision = std::string(to_string(engine.precision())),
      .instruction_set = std::string(to_string(engine.instruction_set())),
      .threads = engine.threads(),
      .batch_choice = engine.batch_choice(),
      .batch_at_last = engine.batch(),
      .memory_share = settings.engine.memory_share,
      .model = {}};
  run.options.run.fit = fit_views_for(paths.run.fit, engine.model());
  run.options.run.meshes.encoding.comment = mesh_comment(engine.model());
  run.model = engine.model();  // GCC 12 frees members twice where the last one of a returned aggregate throws
  return run;
}

void print_profile(const EvaluationSummary& summary, const std::vector<MemorySample>& memory) {
  print("\n" + format_table(part_table(summary)) + "\n" + format_table(step_table(summary)));
  print("\n" + memory_text(memory));
  print(bottleneck(summary) + "\n");
}

ExitCode write_outputs(const Evaluation& evaluation, const EvaluationSummary& summary, const Json& document,
                       const std::function<EvaluationPictures()>& draw, const std::filesystem::path& folder,
                       bool json) {
  const bool is_scored = summary.scores.all().count > 0;
  write_file_atomically(folder / "results.csv", results_csv(evaluation));
  write_file_atomically(folder / "summary.json", json_text(document));
  if (is_scored) write_file_atomically(folder / "categories.csv", categories_csv(summary.scores));
  write_page(folder / "report.html", evaluation, summary, document, draw_or_note(draw));
  if (json) {
    print_json(document);
  } else {
    print_summary(summary);
  }
  spdlog::info("wrote results.csv, summary.json and report.html in {}", folder.string());
  if (summary.stopped) return ExitCode::kStopped;
  if (summary.failures.empty()) return ExitCode::kDone;
  return exit_code_after(std::max<std::size_t>(summary.failed, 1), summary.listed,
                         std::ranges::none_of(summary.failures, &SampleResult::not_its_input));
}

void write_trace(const Trace& trace) {
  try {
    trace.write();
  } catch (const std::exception& error) {
    spdlog::warn("the trace was not written: {}", error.what());
  }
}

}  // namespace p2mpp::cli

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/parallel.h"
#include "capture/capture_steps.h"
#include "capture/photograph_pixels.h"
#include "capture/pieces/missing_pieces.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

void check_usable(const PreparedCapture& prepared) {
  if (prepared.silhouettes.size() >= kMinViews) return;
  std::string reason;
  for (const PhotographReport& report : prepared.photographs) {
    if (!report.problem.empty() && reason.empty()) reason = fmt::format("; {}: {}", report.name, report.problem);
  }
  throw InputError(fmt::format("{}: {} of {} photographs have a usable mask; expected at least {}{}",
                               prepared.capture.where, prepared.silhouettes.size(), prepared.photographs.size(),
                               kMinViews, reason));
}

void inspect_all(CaptureWork& work) {
  const SampleRequest& request = work.request;
  const std::size_t count = work.prepared.capture.photographs.size();
  KeptPixels room(request.views);
  work.inspected = std::vector<InspectedPhotograph>(count);
  std::mutex reporting;
  std::size_t read = 0;
  for_each_task(count, request.threads, [&](std::size_t i) {
    work.inspected[i] = inspect(work.prepared.capture, i, request, *work.context, work.budget, room);
    const std::lock_guard lock(reporting);
    if (request.on_photograph) request.on_photograph(++read, count);
  });
}

double find_common_excess(const std::vector<InspectedPhotograph>& inspected) {
  std::vector<std::optional<MaskExcess>> measured;
  for (std::size_t i = 0; i < inspected.size(); ++i) {
    if (stands_for_all(i, inspected.size())) measured.push_back(inspected[i].excess);
  }
  return common_excess(measured);
}

/// Finds pieces that masks lack. Returns the photographs whose masks have changed.
std::vector<std::size_t> find_pieces(const SampleRequest& request, PreparedCapture& prepared, MaskContext& context) {
  std::vector<std::size_t> changed;
  std::vector<MaskView> silhouettes = prepared.silhouettes;
  for (const FilledPiece& piece : fill_missing_pieces(silhouettes, request.threads)) {
    const std::size_t photograph = prepared.silhouette_photographs[piece.silhouette];
    const std::filesystem::path& image = prepared.capture.photographs[photograph].image;
    if (context.pieces.emplace(image, make_piece(silhouettes[piece.silhouette], piece)).second) {
      changed.push_back(photograph);
    }
  }
  if (!changed.empty()) prepared.capture.notes.push_back(pieces_note(changed.size()));
  return changed;
}

}  // namespace

void inspect_photographs(CaptureWork& work) {
  PreparedCapture& prepared = work.prepared;
  work.context = std::make_shared<MaskContext>();
  prepared.mask_context = work.context;
  find_border_colours(prepared.capture, work.request, work.budget, *work.context);
  inspect_all(work);
  work.context->excess = find_common_excess(work.inspected);
  if (work.context->excess != 0) {
    prepared.capture.notes.push_back(width_note(work.context->excess));
    inspect_all(work);
  }
  for (std::size_t i = 0; i < work.inspected.size(); ++i) {
    prepared.photographs.push_back(std::move(work.inspected[i].report));
    if (!work.inspected[i].silhouette) continue;
    prepared.silhouettes.push_back(*std::move(work.inspected[i].silhouette));
    prepared.silhouette_photographs.push_back(i);
  }
  check_usable(prepared);
}

void fill_masks(CaptureWork& work) {
  PreparedCapture& prepared = work.prepared;
  if (!work.request.capture.corrections.masks) return;
  KeptPixels room(work.request.views);
  for (const std::size_t photograph : find_pieces(work.request, prepared, *work.context)) {
    InspectedPhotograph& inspected = work.inspected[photograph];
    inspected = inspect(prepared.capture, photograph, work.request, *work.context, work.budget, room);
    prepared.photographs[photograph] = std::move(inspected.report);
    const auto found = std::ranges::find(prepared.silhouette_photographs, photograph);
    prepared.silhouettes[static_cast<std::size_t>(found - prepared.silhouette_photographs.begin())] =
        inspected.silhouette.value();
  }
}

}  // namespace p2mpp

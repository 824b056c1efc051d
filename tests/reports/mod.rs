//! All that a searcher tells.

use cairn::game::Playable;
use cairn::search::Searcher;
use cairn::search::limits::{Control, Limits};
use cairn::search::report::Report;

/// The reports of a search that nothing but its limits ends, in their order.
pub fn reports<G: Playable>(
    searcher: &mut dyn Searcher<G>,
    position: &G,
    limits: &Limits<G::Move>,
) -> Vec<Report<G::Move>> {
    let mut reports = Vec::new();
    searcher.search(position, limits, &Control::new(false), &mut |report| {
        reports.push(report.clone());
    });
    reports
}

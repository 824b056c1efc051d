//! Searching with a fixed number of nodes, for both games from opening to end.

#![allow(missing_docs)]

use std::hint::black_box;

use cairn::game::{Notation, Playable};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::search::Searcher;
use cairn::search::alphabeta::AlphaBeta;
use cairn::search::limits::{Control, Limits};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};

/// A name and a position that is not solved within [`NODES`].
type Phase = (&'static str, &'static str);

const HOKITO: [Phase; 2] = [
    ("start", "CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b"),
    ("middle", "C.BA2CC/..BA.A/2bB.2A4CB/b.caa2c/c..2a2c./aba2ba. b"),
];

const YOXII: [Phase; 2] = [
    ("start", ".../...../......./...*.../......./...../... w"),
    ("middle", ".B./.*.b./AcA..../Cc.A.aC/d..b.../.D.../... r"),
];

const NODES: u64 = 200_000;
/// MiB of the table.
const HASH: usize = 16;

/// Runs the bench of one phase, each time with a searcher that knows nothing; the throughput is in
/// nodes.
fn phase<G: Playable>(group: &mut BenchmarkGroup<'_, WallTime>, (name, text): Phase) {
    let position = G::parse(text).expect(text);
    let mut searcher = AlphaBeta::<G>::new(HASH, 1).expect("memory for the table");
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    group.throughput(Throughput::Elements(NODES));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            searcher.new_game();
            let mut nodes = 0;
            let control = Control::new(false);
            searcher.search(black_box(&position), &limits, &control, &mut |r| nodes = r.nodes);
            assert_eq!(nodes, NODES);
        });
    });
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(format!("search {}", Hokito::NAME));
    HOKITO.into_iter().for_each(|row| phase::<Hokito>(&mut group, row));
    group.finish();
    let mut group = criterion.benchmark_group(format!("search {}", Yoxii::NAME));
    YOXII.into_iter().for_each(|row| phase::<Yoxii>(&mut group, row));
    group.finish();
}

criterion_group! {
    name = search;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = benches
}
criterion_main!(search);

//! Move generation, counting, making moves and perft, for both games from opening to end.

#![allow(missing_docs)]

use std::hint::black_box;

use cairn::game::{MoveList, Notation, Playable};
use cairn::games::hokito::Hokito;
use cairn::games::yoxii::Yoxii;
use cairn::tools::perft::perft;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};

/// A name, a position, and the depth of its perft.
type Phase = (&'static str, &'static str, u32);

const HOKITO: [Phase; 4] = [
    ("start", "CBACBA/ACBACB/BACBAC/cabcab/bcabca/abcabc b", 3),
    ("early", "C6CCBBA/B.C4cAA/A..BA./ababa./a.bcab/cb..ac b", 3),
    ("middle", "4CBCACA/2C...4BC/...2b.A/2Ca.2a6c./b...../b.2Bc.a b", 4),
    ("late", "4C.4B..A/..4c.2A./....B2a/.4Ab.../....2ba/4b..c4ca w", 6),
];

const YOXII: [Phase; 4] = [
    ("start", ".../...../......./...*.../......./...../... w", 3),
    ("early", ".../...../.....d*/...D.D./aB.a.../..dC./... w", 3),
    ("middle", ".B./.*.b./AcA..../Cc.A.aC/d..b.../.D.../... r", 3),
    ("late", ".../...Bb/.DCa.*./CdDdcCc/.d.cCB./ccCbA/DA. r", 5),
];

/// Runs the benches of one phase; a throughput is in moves, and for perft in leaves.
fn phase<G: Playable>(group: &mut BenchmarkGroup<'_, WallTime>, (name, text, depth): Phase) {
    let position = G::parse(text).expect(text);
    let moves = position.moves();
    group.throughput(Throughput::Elements(moves.len() as u64));
    group.bench_function(format!("generate/{name}"), |bencher| {
        let mut list = MoveList::new();
        bencher.iter(|| {
            list.clear();
            black_box(&position).generate(&mut list);
            black_box(&list).len()
        });
    });
    group.bench_function(format!("count/{name}"), |bencher| {
        bencher.iter(|| black_box(&position).count_moves());
    });
    group.bench_function(format!("make/{name}"), |bencher| {
        bencher.iter(|| {
            for &mv in &moves {
                let mut next = position;
                next.make(black_box(mv));
                black_box(&next);
            }
        });
    });
    group.throughput(Throughput::Elements(perft(&position, depth)));
    group.bench_function(format!("perft {depth}/{name}"), |bencher| {
        bencher.iter(|| perft(black_box(&position), depth));
    });
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(Hokito::NAME);
    HOKITO.into_iter().for_each(|row| phase::<Hokito>(&mut group, row));
    group.finish();
    let mut group = criterion.benchmark_group(Yoxii::NAME);
    YOXII.into_iter().for_each(|row| phase::<Yoxii>(&mut group, row));
    group.finish();
}

criterion_group! {
    name = movegen;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = benches
}
criterion_main!(movegen);

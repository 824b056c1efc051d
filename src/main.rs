use cairn::game::*;
use cairn::games::*;
use cairn::tools::perft::*;
use std::time::Instant;
fn main() {
    let copy = std::env::args().nth(2).is_some();
    for line in std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap().lines() {
        if line.starts_with('#') { continue; }
        let f: Vec<&str> = line.split('\t').collect();
        let g: GameName = f[0].parse().unwrap();
        struct V<'a>(&'a [&'a str], bool);
        impl ForGame for V<'_> {
            type Output = (u64, f64);
            fn run<G: Playable>(self) -> (u64, f64) {
                let mut p = G::parse(self.0[0]).unwrap();
                assert_eq!(p.notation(), self.0[0]);
                let (mut n, mut t) = (0, 0.0);
                for (i, want) in self.0[1..].iter().enumerate() {
                    let t0 = Instant::now();
                    let got = if self.1 { perft_copy(&p, i as u32 + 1) } else { perft(&mut p, i as u32 + 1) };
                    n += got; t += t0.elapsed().as_secs_f64();
                    assert_eq!(got.to_string(), *want, "{:?} {}", self.0, i);
                }
                (n, t)
            }
        }
        let (n, t) = g.dispatch(V(&f[1..], copy));
        println!("{} {} {} {:.0} M/s", g, f[1], n, n as f64 / t / 1e6);
    }
}

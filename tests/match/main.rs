//! `cairn match` as a program, with engines that do all that engines should not do.
//!
//! The tests have a harness of their own, because the test program also plays the engines.

mod failures;
mod fake;
mod matches;
mod records;
mod table;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, kind, folder] = arguments.as_slice()
        && word == "fake"
    {
        return fake::run(kind, folder.as_ref());
    }
    let tests = [failures::TESTS, matches::TESTS, records::TESTS].concat();
    let tests = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), tests.collect()).exit();
}

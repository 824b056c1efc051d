//! Reading the tables under tests/data: columns split by tabs, lines from `#` left out.

/// The rows of a table that are about a game, without the column of its name.
pub fn rows<'a>(table: &'a str, game: &'a str) -> impl Iterator<Item = Vec<&'a str>> {
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .filter_map(move |row| (row[0] == game).then(|| row[1..].to_vec()))
}

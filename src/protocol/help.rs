//! What `help` prints.

/// The commands, for a person who types them.
pub const HELP: &str = "\
Commands (protocol.md has the whole story):
  ugi | uci                            who I am and which options I have
  isready                              answered by readyok
  uginewgame | ucinewgame              forget the last game
  setoption name NAME [value VALUE]    change an option
  position startpos [moves M1 M2 ...]  set up the start position
  position fen BOARD SIDE [moves ...]  set up any position
  moves M1 M2 ...                      play on from the current position
  go [movetime MS] [depth N] [nodes N] [p1time MS p2time MS p1inc MS p2inc MS movestogo N]
     [infinite] [ponder] [searchmoves M1 M2 ...] [win N]
                                       search; wtime btime winc binc mean the same
  stop | ponderhit                     end the search | the awaited move was played
  query gameover | p1turn | result | legalmoves | position | score
  go perft N | perft N                 count the leaves of the game tree
  d | eval                             draw the board | evaluate it without a search
  bench                                search fixed positions, the same number of nodes each time
  debug on | off                       say more
  quit                                 end, like the end of input
";

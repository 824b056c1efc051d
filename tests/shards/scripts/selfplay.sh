#!/bin/sh
# One part of self-play: selfplay.sh I N plays part I of N into samples-I.txt, or goes on with it.
exec cairn selfplay --game yoxii --games 100000 \
  --shard "$1/$2" --out "samples-$1.txt" --resume

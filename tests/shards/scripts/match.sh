#!/bin/sh
# One part of a match: match.sh I N plays part I of N into part-I.jsonl, or goes on with it.
exec cairn match --game hokito \
  --engine name=NEW,cmd="./new/cairn ugi --game hokito" \
  --engine name=OLD,cmd="./old/cairn ugi --game hokito" \
  --tc 8+0.08 --games 4096 --openings random:7 \
  --shard "$1/$2" --out "part-$1.jsonl" --resume

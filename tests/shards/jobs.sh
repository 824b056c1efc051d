#!/usr/bin/env bash
# Both kinds of shards as job arrays of Slurm: jobs.sh N plays N parts of each. Part 2 of each is
# killed and requeued when it has whole games; what it had written then is kept as killed-FILE.
set -euo pipefail
parts=$1

task_state() { squeue --noheader --format=%t --jobs "$1"; }

# A task, and its file.
requeue() {
    until [ "$(wc --lines <"$2" 2>/dev/null || echo 0)" -ge "$3" ]; do sleep 0.02; done
    scontrol requeue "$1"
    until [ "$(task_state "$1")" = PD ]; do sleep 0.1; done
    cp "$2" "killed-$2"
}

match=$(sbatch --parsable --array="1-$parts" array.sh ./match.sh "$parts")
requeue "${match}_2" part-2.jsonl 3
selfplay=$(sbatch --parsable --array="1-$parts" array.sh ./selfplay.sh "$parts")
requeue "${selfplay}_2" samples-2.txt 60
until [ -z "$(squeue --noheader)" ]; do sleep 0.2; done
for job in "$match" "$selfplay"; do
    scontrol --oneliner show job "$job"
done >jobs.txt

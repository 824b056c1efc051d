#!/bin/sh
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# A part of a job array of Slurm: sbatch --array=1-64 array.sh ./match.sh 64
exec "$1" "$SLURM_ARRAY_TASK_ID" "$2"

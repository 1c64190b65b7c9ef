#!/usr/bin/env bash
# A run of many tests on a cluster: each task of the array takes its share, and goes on where it was when it is requeued.
#
#   TESTS=tests RESULTS=results sbatch --array=1-16 slurm-array.sh
#   litmus merge results/part-*.jsonl                     when all tasks are done
#
# TESTS and RESULTS lie on a file system that all nodes share. A task fails only when its share could not be asked: a claim that
# fails or is not decided is said by `litmus merge`.
#SBATCH --job-name=litmus
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=1G
#SBATCH --requeue
set -euo pipefail
: "${TESTS:?the folder of the tests}" "${RESULTS:?the folder for the results}"
part=$SLURM_ARRAY_TASK_ID parts=$SLURM_ARRAY_TASK_COUNT

mkdir -p "$RESULTS"
status=0
litmus check "$TESTS" --shard "$part/$parts" -j "${SLURM_CPUS_PER_TASK:-1}" \
    --format json --resume "$RESULTS/part-$part.jsonl" >/dev/null || status=$?
[ "$status" -le 1 ] || [ "$status" -eq 3 ] || exit "$status"

#!/usr/bin/env bash
# A run of many tests on several machines by GNU parallel over ssh: parts go to whichever machine is free.
#
#   parallel-ssh.sh 64 server1,server2,server3 /shared/tests results
#
# PARTS parts, more than there are machines; HOSTS as `parallel --sshlogin` takes them (`:` is this machine); the folder TESTS has the same
# path on each of them, and `litmus` is on their path (or where LITMUS says). A part that broke off is asked again when the command is given again.
set -euo pipefail
[ $# -eq 4 ] || {
    echo "usage: $0 PARTS HOSTS TESTS RESULTS" >&2
    exit 2
}
parts=$1 hosts=$2 tests=$3 results=$4

mkdir -p "$results"
# The output of a part comes back in one piece, when the part is done. A claim that fails (1) or is not decided (3) is no fault of the part.
seq "$parts" | parallel --sshlogin "$hosts" --joblog "$results/log" --resume-failed --retries 3 --results "$results/part-{}.jsonl" \
    "${LITMUS:-litmus} check $(printf %q "$tests") --shard {}/$parts --format json || [ \$? -eq 1 ] || [ \$? -eq 3 ]" >/dev/null
"${LITMUS:-litmus}" merge "$results"/part-*.jsonl

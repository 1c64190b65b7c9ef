#!/usr/bin/env bash
# Runs a command beside a Slurm of its own: a controller and one node, this machine, which counts as NODE_CPUS processors (default: 4).
#
#   slurm_cluster.sh COMMAND...
#
# The command finds the cluster by SLURM_CONF. Any user can start it, and any number of them at a time; it needs no control groups.
# Everything is gone when it ends; the status is that of the command, or 77 where there is no Slurm to start (its reason on standard error).
set -euo pipefail

skip() {
    echo "slurm_cluster: $*" >&2
    exit 77
}
PATH+=:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch scontrol; do
    command -v $program >/dev/null || skip "there is no $program (Debian's packages slurmctld, slurmd, slurm-client and munge)"
done

folder=$(mktemp -d)
export SLURM_CONF=$folder/slurm.conf  # from here on, no other cluster is spoken to
servers=() ready=''
clean() {
    if [ -n "$ready" ] && timeout 10 scancel --user="$(id -un)"; then
        for _ in $(seq 100); do
            [ -n "$(timeout 10 squeue -h)" ] || break
            sleep 0.1
        done
    fi
    for ((i = ${#servers[@]} - 1; i >= 0; --i)); do  # those that others need go last
        kill "${servers[i]}" 2>/dev/null || true
        for _ in $(seq 50); do
            kill -0 "${servers[i]}" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "${servers[i]}" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap clean EXIT

# serve NAME COMMAND...: in the foreground of a shell in the background, so that its process is known.
serve() {
    local name=$1
    shift
    "$@" >"$folder/$name.out" 2>&1 </dev/null &
    servers+=($!)
}

# A port that nobody listens on; those of clusters that start at the same time are apart.
port=$((10000 + $$ * 4 % 20000))
next_port() {
    port=$((port + 1))
    while (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
}

mkdir "$folder/state" "$folder/spool"
chmod 755 "$folder"
head -c 128 /dev/urandom >"$folder/key"
chmod 400 "$folder/key"
serve munged munged --foreground --force --num-threads=2 --key-file="$folder/key" --socket="$folder/munge" --pid-file="$folder/munged.pid" \
    --seed-file="$folder/seed" --log-file="$folder/munged.log"

name=$(hostname -s)
next_port
controller_port=$port
next_port
cat >"$SLURM_CONF" <<CONF
ClusterName=litmus
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=5
NodeName=$name NodeAddr=127.0.0.1 CPUs=${NODE_CPUS:-4} RealMemory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
PartitionName=all Nodes=$name Default=yes MaxTime=INFINITE State=UP
CONF
serve slurmctld slurmctld -D
serve slurmd slurmd -D -N "$name"

all_live() { [ "$(jobs -pr | wc -l)" -eq ${#servers[@]} ]; }
while [ -z "$ready" ] && [ $SECONDS -lt 30 ] && all_live; do
    [[ $(timeout 5 sinfo -h -o %t 2>/dev/null) != idle ]] || ready=yes
    sleep 0.1
done
[ -n "$ready" ] || skip "no node came up: $(tail -n 5 "$folder"/*.out "$folder"/*.log)"
"$@"

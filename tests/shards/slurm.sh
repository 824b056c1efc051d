#!/usr/bin/env bash
# Runs a command beside a Slurm of one node: slurm.sh FOLDER COMMAND...
#
# It is meant for a PID and network namespace of its own (`unshare --pid --net ...`): so its ports
# and names are nobody else's, and all that it started ends with it. FOLDER takes what Slurm writes.
set -euo pipefail
state=$1
shift
trap '[ $? -eq 0 ] || tail --lines=20 "$state"/*.out >&2' EXIT

# Waits until a command succeeds, for up to 30 seconds.
wait_for() {
    for _ in $(seq 300); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.1
    done
    echo "waited in vain for: $*" >&2
    return 1
}
node_is_idle() { [ "$(sinfo --noheader --format=%t)" = idle ]; }

ip link set lo up
# Names are not looked up on a machine that has no other address than 127.0.0.1.
ip address add 127.0.0.2/8 dev lo
mkdir -p "$state/ctld" "$state/slurmd"
chmod 700 "$state"
dd if=/dev/urandom of="$state/munge.key" bs=1024 count=1 status=none
chmod 600 "$state/munge.key"
cat > "$state/slurm.conf" <<CONF
ClusterName=cairn
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/munge
# A requeued job may start again so many seconds after.
AuthInfo=socket=$state/munge.socket,cred_expire=6
CredType=cred/munge
SlurmctldPort=16817
SlurmdPort=16818
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.pid
SlurmctldLogFile=$state/slurmctld.log
SlurmdLogFile=$state/slurmd.log
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/slurmd
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=100000,bf_interval=1
SlurmdParameters=config_overrides
JobRequeue=1
KillWait=2
ReturnToService=2
MailProg=/bin/true
NodeName=localhost CPUs=4 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
CONF
export SLURM_CONF=$state/slurm.conf
munged --foreground --force --key-file="$state/munge.key" --socket="$state/munge.socket" \
    --pid-file="$state/munged.pid" --log-file="$state/munged.log" --seed-file="$state/munged.seed" \
    >"$state/munged.out" 2>&1 &
wait_for test -S "$state/munge.socket"
slurmctld -D >"$state/slurmctld.out" 2>&1 &
slurmd -D -N localhost >"$state/slurmd.out" 2>&1 &
wait_for node_is_idle
timeout 80 "$@"

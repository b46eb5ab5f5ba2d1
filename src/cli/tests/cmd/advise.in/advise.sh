# Advises on keys of a kind.
kind=$1
count=$2
shift 2
awk -v kind="$kind" -v count="$count" -f keys.awk > keys
fluo advise "$@" keys

# Loads pages in the design of a spec, and plans, applies and verifies the tablets of their table.
spec=$1.toml
kind=$2
shift 2
exec 2>&1
fluo table create --at embedded:d "$kind"
awk -v kind="$kind" -f rows.awk | fluo table load --at embedded:d "$kind" --spec "$spec" "$@" - | sed 's/ in [0-9].*//'
fluo table plan --at embedded:d --spec "$spec" "$kind" | grep 'In all'
fluo table apply --at embedded:d --spec "$spec" "$kind"
fluo table verify --at embedded:d --spec "$spec" "$kind"
fluo table plan --at embedded:d --spec "$spec" "$kind" | grep 'Nothing to do'
fluo table delete --at embedded:d --yes "$kind"

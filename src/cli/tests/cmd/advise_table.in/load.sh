# Loads rows of a kind in a design: load.sh TABLE KIND COUNT DESIGN
awk -v kind="$2" -v count="$3" -f rows.awk | fluo table load --at embedded:d "$1" --design "$4" - 2> /dev/null

# Plans a table with a spec of 200,000 brackets or keys.
awk -v first="$1" -v part="$2" -v last="$3" 'BEGIN {
    printf "%s", first
    while (n++ < 200000) printf "%s", part
    print last
}' | fluo table plan --at embedded:d --spec /dev/stdin pages

# Plans a table with the spec that is the argument.
printf "$1" | fluo table plan --at embedded:d --spec /dev/stdin pages

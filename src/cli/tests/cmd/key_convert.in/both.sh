# Converts the rows of the first argument to keys, prints these, and converts them back.
rows=$1
shift
keys=$(printf "$rows" | fluo key add "$@" && echo .) || exit
printf '%s' "${keys%.}"
printf '%s' "${keys%.}" | fluo key remove "$@" | sed 's/^/<- /'

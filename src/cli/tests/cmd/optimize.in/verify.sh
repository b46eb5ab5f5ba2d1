# Prints the first and the last line of a verdict, and its exit code.
fluo table verify --at embedded:d "$@" > verdict
code=$?
head -n 1 verdict
tail -n 1 verdict
exit $code

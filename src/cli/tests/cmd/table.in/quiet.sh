# Counts the lines that a command prints to standard output and to standard error.
fluo "$@" > out 2> error
echo "exit code $?, $(wc -l < out | tr -d ' ') lines of output, $(wc -l < error | tr -d ' ') of messages"

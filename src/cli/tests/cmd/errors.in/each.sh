# Runs a command with each of the values in place of VALUE: each.sh COMMAND VALUE..
command=$1
shift
for value do
    printf '%s: ' "$value"
    sh -c "${command%VALUE*}\"\$1\"${command#*VALUE}" fluo "$value" 2>&1 | head -n 1
done

# Runs a command of `fluo key` on a row, with escapes such as `\n` in its third argument.
command=$1
option=$2
value=$(printf "$3")
shift 3
echo 'x|1' | fluo key "$command" "$option" "$value" "$@"

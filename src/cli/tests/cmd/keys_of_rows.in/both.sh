# Converts rows to keys and back, and compares them: both.sh ROWS DESIGN-ARGUMENTS..
rows=$1
shift
fluo key add "$@" < $rows > keys && fluo key remove "$@" < keys | cmp - $rows && echo the same

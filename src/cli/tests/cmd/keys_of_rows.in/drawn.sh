# Draws salts twice and compares the keys: drawn.sh ARGUMENTS ARGUMENTS
fluo key add --design random-salt,buckets=10 $1 < equal > first
fluo key add --design random-salt,buckets=10 $2 < equal > second
cmp -s first second && echo the same || echo others

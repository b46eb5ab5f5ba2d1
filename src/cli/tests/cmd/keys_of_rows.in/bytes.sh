# Converts rows that are not text to keys, and explains one of the keys.
printf '\000\377\033\n' | fluo key add --prefix p | od -An -c | awk '{ $1 = $1 } 1'
fluo key explain --prefix p "$(printf '\377\033\n' | fluo key add --prefix p)"

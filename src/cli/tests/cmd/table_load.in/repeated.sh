# Loads 5,000 rows of which two are repeated.
awk 'BEGIN { for (n = 0; n < 5000; n++) print "row " (n == 4321 ? 17 : n == 4322 ? 4323 : n) }' |
    fluo table load --at embedded:d repeated --design modulo --create-if-absent -

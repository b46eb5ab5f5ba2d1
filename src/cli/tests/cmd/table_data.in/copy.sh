# Imports the odd cells, exports them, and imports them into another directory.
labels='--authorization a --authorization b'
fluo table create --at embedded:d --versions all odd
sh odd.sh | fluo table import --at embedded:d odd -
fluo table export --at embedded:d $labels odd > one.jsonl
fluo table create --at embedded:e --versions all odd
fluo table import --at embedded:e odd one.jsonl
fluo table scan --at embedded:e $labels --json odd | cmp - one.jsonl && echo the same
fluo table scan --at embedded:e $labels --encoding base64 --json odd > two.jsonl
fluo table create --at embedded:e --versions all again
fluo table import --at embedded:e --encoding base64 again two.jsonl
fluo table scan --at embedded:e $labels --json again | cmp - one.jsonl && echo the same

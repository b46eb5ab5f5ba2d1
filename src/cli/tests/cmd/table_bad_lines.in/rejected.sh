# Checks that every line is written or rejected, and that rejected lines are as in the file.
seq 3000 | awk '{ print ($1 % 3 ? "http://example.com/" : "http://[") $1 }' > many.txt
fluo table create --at embedded:d many
fluo table load --at embedded:d many --design web-table --rejects many.tsv many.txt
echo code $?
fluo table count --at embedded:d many
cut -f 3- many.tsv > lines.txt
cut -f 1 many.tsv | while read number; do sed -n "${number}p" many.txt; done | cmp - lines.txt && echo the same

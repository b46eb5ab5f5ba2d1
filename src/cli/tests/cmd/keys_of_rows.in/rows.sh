# Makes files of rows: text, hex, and a thousand equal rows.
printf '\na\n\r\n:\n::p:1yl0:\n' > text
awk 'BEGIN { while (n++ < 350000) printf "x:y"; print "" }' >> text
printf '\n00\nff\n0a\n3a\n' > hex
awk 'BEGIN { while (n++ < 262144) printf "0aff003a"; print "" }' >> hex
awk 'BEGIN { while (n++ < 1000) print "row" }' > equal

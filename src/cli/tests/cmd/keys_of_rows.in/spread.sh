# Counts the buckets with more than 50 keys.
cut -c 1-2 keys | sort | uniq -c | awk '$1 > 50 { count++ } END { print count }'

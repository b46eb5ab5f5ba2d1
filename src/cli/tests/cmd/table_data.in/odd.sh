# Prints cells with every byte, two versions, a label, and more cells of a row than one write has.
all=$(awk 'BEGIN { for (byte = 0; byte < 256; byte++) printf "\\\\x%02x", byte }')
for timestamp in 5 -7; do
  printf '{"row":"%s","family":"%s","qualifier":"%s","timestamp":%s,"value":"%s"}\n' \
    "$all" "$all" "$all" $timestamp "$all"
done
printf '{"row":"r","family":"","qualifier":"","visibility":"a&b","timestamp":1,"value":"é"}\n'
for number in $(seq 250); do
  printf '{"row":"wide","family":"f","qualifier":"%s","timestamp":%s,"value":""}\n' $number $number
done

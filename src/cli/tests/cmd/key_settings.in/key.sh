# Converts a row to a key of a design.
echo abc001 | fluo key add --design "$1"

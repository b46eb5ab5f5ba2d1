# Gives a value and a key with newlines.
echo 616263303031 | fluo key add --encoding hex --design 'digest-salt,digits=4,separator=
'
echo abc001 | fluo key add --design 'modulo,buckets
[a]
b=3'

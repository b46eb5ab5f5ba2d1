# Advises on the rows of a table that is split as in a spec, on 1 and on 5 servers, and compares the
# advised spec with the table: advise.sh SPEC [KIND DESIGN]..
spec=$1.toml
shift
for servers in 1 5; do
    rm -rf d
    fluo table create --at embedded:d --servers $servers pages 2> /dev/null
    [ ! -s $spec ] || fluo table apply --at embedded:d --spec $spec --no-wait pages 2> /dev/null
    for word do
        [ -z "$kind" ] || sh load.sh pages "$kind" 1500 "$word"
        [ -z "$kind" ] && kind=$word || kind=
    done
    fluo advise --at embedded:d --write-spec advised.toml pages 2> /dev/null > told
    grep -e ' no design ' -e '^Keep' -e '^Leave' -e '^Next' told
    fluo table plan --at embedded:d --spec advised.toml pages | grep -e 'asks for' -e 'Nothing to do'
done

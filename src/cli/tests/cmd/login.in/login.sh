# Lists the tables of a proxy that does not answer: login.sh MODE-OF-THE-PASSWORD-FILE VARIABLES ..
mode=$1
variables=$2
shift 2
printf 'hunter2\nmore\n' > password
chmod "$mode" password
exec env $variables fluo table list --at proxy:127.0.0.1:1 "$@"

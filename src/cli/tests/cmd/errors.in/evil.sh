# Runs a command with a name that would control a terminal in place of EVIL.
for word do
    shift
    case $word in *EVIL) word=${word%EVIL}$(printf '\033[31m\n\302\233x') ;; esac
    set -- "$@" "$word"
done
exec fluo "$@"

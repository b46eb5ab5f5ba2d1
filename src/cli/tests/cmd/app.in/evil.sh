# Makes an application with this name and this setting.
exec fluo app init --at embedded:evil --set "$(printf "$2")" "$(printf "$1")"

# Lists the tables of the profile `web` of a configuration file with this text.
printf "$1" > web.toml
FLUO_CONFIG=web.toml exec fluo table list --at web

# shellcheck shell=sh
# Sourced by a launcher that mount(8) has called as /sbin/mount.TYPE SOURCE DIR [-sfnv] [-N NS]
# [-o OPTIONS] [-t TYPE]: turns the positional parameters into those of "cairn mount".
cairn_left=$#
cairn_skip=
while [ "$cairn_left" -gt 0 ]; do
    cairn_argument=$1
    shift
    cairn_left=$((cairn_left - 1))
    if [ -n "$cairn_skip" ]; then
        cairn_skip=
        continue
    fi
    case $cairn_argument in
        -f) exit 0 ;; # mount --fake: as if it had been done
        -s | -n | -v | -sn | -sv | -nv) ;;
        -t | -N) cairn_skip=1 ;;
        *) set -- "$@" "$cairn_argument" ;;
    esac
done
set -- mount "$@"

# shellcheck shell=sh
# Sourced by a launcher that mount(8) has called as /sbin/mount.TYPE SOURCE DIR [-sfnv] [-N NS]
# [-o OPTIONS] [-t TYPE]: turns the positional parameters into those of "cairn mount". To remount is
# the kernel's affair alone, with the options that are the kernel's.
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
case ,${4:-}, in *,remount,*)
    cairn_kept=remount
    cairn_ifs=$IFS
    IFS=,
    for cairn_option in $4; do
        case $cairn_option in
            ro | rw | suid | nosuid | dev | nodev | exec | noexec | sync | async | dirsync | \
                atime | noatime | diratime | nodiratime | relatime | norelatime | strictatime | \
                nostrictatime | lazytime | nolazytime | nosymfollow | symfollow | silent | loud)
                cairn_kept=$cairn_kept,$cairn_option ;;
        esac
    done
    IFS=$cairn_ifs
    exec mount -i -o "$cairn_kept" "$1" "$2"
    ;;
esac
# Of an ordinary user mount(8) tells the name. Who logs in with a password says username=.
case ,${4:-}, in *,user=*)
    cairn_kept=
    cairn_ifs=$IFS
    IFS=,
    for cairn_option in $4; do
        case $cairn_option in
            user=*) ;;
            *) cairn_kept=$cairn_kept${cairn_kept:+,}$cairn_option ;;
        esac
    done
    IFS=$cairn_ifs
    set -- "$1" "$2" -o "${cairn_kept:-rw}"
    ;;
esac
set -- mount "$@"

# shellcheck shell=sh
# Sourced by the launcher, POSIX sh: what "cairn up" would refuse is refused before the build, which
# takes a minute. The command itself looks again, at more.

# cairn_first_look ARGUMENT...: returns 0 when nothing speaks against "cairn up ARGUMENT...", else
# exits with one line and the code that the command would give (sysexits.h).
cairn_first_look() {
    look_data=${CAIRN_DATA:-${HOME:-}/.cairn}
    look_mount=${CAIRN_MOUNT:-}
    look_listen=${CAIRN_LISTEN:-127.0.0.1:9871}
    look_admin=${CAIRN_ADMIN:-127.0.0.1:9870}
    look_nfs=${CAIRN_NFS:-}
    look_options=
    while [ $# -gt 0 ]; do
        case $1 in
            --help | -h | --config | --config=*) return 0 ;; # settings elsewhere: not known here
            --data | --mount | --listen | --admin | --nfs | -o)
                [ $# -gt 1 ] || return 0
                look_option=${1#--}=$2
                shift
                ;;
            *) look_option=${1#--} ;;
        esac
        case $look_option in
            data=*) look_data=${look_option#*=} ;;
            mount=*) look_mount=${look_option#*=} ;;
            listen=*) look_listen=${look_option#*=} ;;
            admin=*) look_admin=${look_option#*=} ;;
            nfs=*) look_nfs=${look_option#*=} ;;
            -o=*) look_options=$look_options,${look_option#*=} ;;
        esac
        shift
    done
    cairn_look_at_data
    [ -z "$look_mount" ] || cairn_look_at_mountpoint
    cairn_look_at_port --listen "$look_listen"
    cairn_look_at_port --admin "$look_admin"
    cairn_look_at_port --nfs "$look_nfs"
}

cairn_look_at_data() {
    look_pid=$(cat "$look_data/lock" 2>/dev/null) || look_pid=
    case $look_pid in
        '' | *[!0-9]*) ;;
        *) if tr '\0' '\n' <"/proc/$look_pid/cmdline" 2>/dev/null | grep -qx io.cairn.cli.Cairn; then
            fail 75 "cairn up runs already on $look_data, pid $look_pid; stop it with '$0 down --data $look_data'"
        fi ;;
    esac
    look_at=$look_data
    while [ ! -e "$look_at" ] && [ -n "$look_at" ] && [ "$look_at" != . ]; do
        case $look_at in
            /*/* | [!/]*/*) look_at=${look_at%/*} ;;
            /*) look_at=/ ;;
            *) look_at=. ;;
        esac
    done
    [ -d "$look_at" ] || fail 73 "$look_at is not a directory; choose another --data"
    [ -w "$look_at" ] || fail 73 "no permission to write $look_at; choose another --data"
}

cairn_look_at_mountpoint() {
    [ -e /dev/fuse ] || fail 69 "/dev/fuse is missing; load the module (modprobe fuse), in a" \
        "container start it with --device /dev/fuse --cap-add SYS_ADMIN"
    if [ ! -r /dev/fuse ] || [ ! -w /dev/fuse ]; then
        fail 77 "/dev/fuse cannot be opened by this user; run as root, or let users mount:" \
            "chmod 666 /dev/fuse"
    fi
    # The command removes what a killed one has left mounted.
    case $(LC_ALL=C stat "$look_mount" 2>&1) in *"not connected"*) return 0 ;; esac
    if [ -d "$look_mount" ]; then
        look_real=$(cd "$look_mount" 2>/dev/null && pwd -P) || look_real=$look_mount
        if awk -v at="$look_real" '$5 == at { found = 1 } END { exit !found }' \
            /proc/self/mountinfo 2>/dev/null; then
            fail 66 "$look_mount already has something mounted on it; unmount it first:" \
                "umount $look_mount"
        fi
        case ,$look_options, in *,nonempty,*) return 0 ;; esac
        [ -z "$(ls -A "$look_mount" 2>/dev/null)" ] || fail 66 \
            "mountpoint $look_mount is not empty; choose an empty directory, or -o nonempty"
    elif [ -e "$look_mount" ]; then
        fail 66 "mountpoint $look_mount is not a directory; name a directory"
    else
        look_parent=$(dirname "$look_mount")
        if [ ! -d "$look_parent" ] || [ ! -w "$look_parent" ]; then
            fail 66 "mountpoint $look_mount does not exist; create it: mkdir -p $look_mount"
        fi
    fi
}

# cairn_look_at_port OPTION HOST:PORT: by what the kernel tells of listening sockets (proc(5)), on
# all addresses or on loopback, IPv4 or what stands for it in IPv6.
cairn_look_at_port() {
    look_port=${2##*:}
    case $look_port in '' | 0 | *[!0-9]*) return 0 ;; esac
    look_hex=$(printf '%04X' "$look_port")
    if cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v port="$look_hex" '
        $4 == "0A" && $2 ~ "^(0*|0*FFFF0000)(0100007F|00000000):" port "$" { found = 1 }
        END { exit !found }'; then
        fail 75 "$1 $2: another process listens on this port; choose another $1"
    fi
}

# shellcheck shell=sh
# Sourced by the launcher and, in packages, by what installs them, POSIX sh; after find-jdk.sh and
# jvm-options.sh.

# cairn_rehearse LIB CACHE LOG: lets the JVM learn which classes and methods Cairn needs, from a
# cluster that works for some seconds: every process that starts with this cache is at speed at
# once. Without the cache everything works, slower at first. CACHE is replaced, and a marker beside
# it tells which JDK has rehearsed, be it in vain.
cairn_rehearse() {
    echo "cairn: rehearsing once, so that every later start is quick (some 20 s)" >&2
    # In memory where there is room for it: containers have 64 MiB there.
    scratch=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $4 >= 524288 { print "/dev/shm" }')
    scratch=$(mktemp -d "${scratch:-${TMPDIR:-/tmp}}/cairn.XXXXXX") || return 0
    rm -f "$2" "${2%/*}/rehearsed" # a JVM cannot use one and make one
    # A JVM that is told to end while a thread of it waits for its own mount does not end before
    # that mount is cut off.
    (
        seconds=0
        while sleep 1 && [ -d "$scratch" ]; do
            seconds=$((seconds + 1))
            [ "$seconds" -ne 125 ] || cairn_cut_off "$scratch/mnt"
        done
    ) >/dev/null 2>&1 9>&- &
    # Settings in the environment (CAIRN_DATA) are not meant for it.
    # shellcheck disable=SC2046 # a list of words
    if env -i PATH="$PATH" HOME="$scratch" LC_ALL=C.UTF-8 timeout 120 "$CAIRN_JDK/bin/java" \
        "@$1/java.options" $(cairn_jvm_options rehearse "$2") "-XX:AOTCacheOutput=$scratch/aot" \
        -cp "$1/*" io.cairn.cli.Cairn rehearse --data "$scratch" >"$3" 2>&1 9>&- && [ -s "$scratch/aot" ]; then
        chmod 644 "$scratch/aot"
        mv "$scratch/aot" "$2"
    else
        echo "cairn: the rehearsal failed, starts will be slower; see $3" >&2
    fi
    umount -l "$scratch/mnt" 2>/dev/null || true
    rm -rf "$scratch"
    cairn_jdk_release >"${2%/*}/rehearsed"
}

# cairn_cut_off MOUNTPOINT: all who wait for this FUSE mount get an error. Others than root may write
# to the connections that are theirs.
cairn_cut_off() {
    umount -f "$1" && return
    connection=$(sed -n "s|^[0-9]* [0-9]* 0:\([0-9]*\) [^ ]* $1 .*|\1|p" /proc/self/mountinfo)
    echo 1 >"/sys/fs/fuse/connections/$connection/abort"
}

cairn_jdk_release() { cat "$CAIRN_JDK/release" 2>/dev/null || :; }

# cairn_is_unrehearsed LIB CACHE: true when this JDK has not rehearsed these jars, not even in vain.
# A cache of another JDK or other jars is of no use.
cairn_is_unrehearsed() {
    marker=${2%/*}/rehearsed
    [ -f "$marker" ] && [ "$(cairn_jdk_release)" = "$(cat "$marker")" ] || return 0
    [ -n "$(find "$1" -newer "$marker" -print -quit)" ]
}

# shellcheck shell=sh
# Finds the JDK that builds and runs Cairn. Sourced by mvnw and cairn, POSIX sh.
#
# cairn_find_jdk sets CAIRN_JDK to the home of a JDK of version 25 or newer, looking in this order:
# CAIRN_JAVA_HOME, JAVA_HOME, the java on PATH, /usr/lib/jvm/*, SDKMAN. Among several in one of the
# last two places the oldest that will do is taken, being nearest to what is tested. Returns
# non-zero after one line on stderr when there is none.

CAIRN_JDK_MINIMUM=25

# Prints the feature version (25 of "25.0.3") of the JDK in directory $1, nothing if it is none.
cairn_jdk_version() {
    [ -x "$1/bin/java" ] || return 0
    [ -x "$1/bin/javac" ] || [ -n "${CAIRN_JRE_WILL_DO:-}" ] || return 0
    if [ -r "$1/release" ]; then
        sed -n 's/^JAVA_VERSION="\([0-9][0-9]*\).*/\1/p' "$1/release"
    else
        "$1/bin/java" -version 2>&1 | sed -n '1s/.*"\([0-9][0-9]*\).*/\1/p'
    fi
}

# Sets CAIRN_JDK to $1 if that is a JDK new enough and better than the one already found.
cairn_try_jdk() {
    cairn_version=$(cairn_jdk_version "$1")
    [ -n "$cairn_version" ] && [ "$cairn_version" -ge "$CAIRN_JDK_MINIMUM" ] || return 1
    if [ -z "$CAIRN_JDK" ] || [ "$cairn_version" -lt "$cairn_best" ]; then
        CAIRN_JDK=$1
        cairn_best=$cairn_version
    fi
}

cairn_find_jdk() {
    CAIRN_JDK=
    cairn_best=
    if [ -n "${CAIRN_JAVA_HOME:-}" ]; then
        cairn_try_jdk "$CAIRN_JAVA_HOME" && return 0
        echo "cairn: CAIRN_JAVA_HOME=$CAIRN_JAVA_HOME is not a JDK $CAIRN_JDK_MINIMUM or newer;" \
            "set it to one, or unset it to search the usual places" >&2
        return 1
    fi
    if [ -n "${JAVA_HOME:-}" ] && cairn_try_jdk "$JAVA_HOME"; then return 0; fi
    cairn_java=$(command -v java 2>/dev/null) || cairn_java=
    if [ -n "$cairn_java" ]; then
        cairn_java=$(readlink -f "$cairn_java")
        if cairn_try_jdk "${cairn_java%/bin/java}"; then return 0; fi
    fi
    for cairn_home in /usr/lib/jvm/*; do cairn_try_jdk "$cairn_home" || :; done
    [ -z "$CAIRN_JDK" ] || return 0
    for cairn_home in "${SDKMAN_DIR:-${HOME:-/}/.sdkman}"/candidates/java/*; do
        cairn_try_jdk "$cairn_home" || :
    done
    [ -z "$CAIRN_JDK" ] || return 0
    echo "cairn: no JDK $CAIRN_JDK_MINIMUM or newer found (CAIRN_JAVA_HOME, JAVA_HOME, PATH," \
        "/usr/lib/jvm, SDKMAN); install one, or set CAIRN_JAVA_HOME to it" >&2
    return 1
}

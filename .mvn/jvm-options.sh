# shellcheck shell=sh
# The options of the JVM for each command, at most seven, beside those that all have
# (cli/src/main/dist/java.options). Sourced by the launchers, POSIX sh.
#
# The role decides, and the number of processors. What moves file contents is, on few processors,
# as fast with the first compiler alone, and does not share them with the second one; on four and
# more both work. TLS and encryption need the second one: only it knows the instructions of the
# processor for AES. Commands that end at once get a quick start. bench/NOTES.md has the numbers.

# cairn_processors: prints how many processors this process may use.
cairn_processors() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }

# cairn_enciphers ARGUMENT...: true when a chunk server or a mount with these arguments has TLS or
# encrypts files: they, the environment or the file of --config name a certificate or a master key,
# or one of the directories of a chunk server holds a certificate. What this overlooks is slow, and
# the process says so.
cairn_enciphers() (
    role=${1:-}
    told="$* ${CAIRN_DATA:-}"
    [ -z "${CAIRN_JOIN:-}${CAIRN_MASTER_KEY_FILE:-}${CAIRN_MASTER_KEY_COMMAND:-}" ] || return 0
    while [ $# -gt 0 ]; do
        case $1 in
            --config) file=${2:-} ;;
            --config=*) file=${1#*=} ;;
            *) file= ;;
        esac
        shift
        # A pipe can be read once, and is meant for the process.
        if [ -f "$file" ] && [ -r "$file" ]; then told="$told $(sed 's/^/ /; s/#.*//' "$file")"; fi
    done
    case " $told " in
        *--identity* | *--join* | *--master-key* | *[,o" "]identity=* | *[,o" "]ca=*) return 0 ;;
        *" identity:"* | *" join:"* | *" master-key-"*) return 0 ;;
    esac
    # Mounts have no data directories; what is mounted on a mountpoint may not answer.
    [ "$role" = chunk ] || return 1
    set -f
    IFS=" ,=:[]\"'
"
    for word in $told; do
        if [ -d "$word/tls" ]; then return 0; fi
    done
    return 1
)

# cairn_jvm_options COMMAND CACHE [ARGUMENT...]: prints options, one word each. CACHE is what the
# JVM learned in a rehearsal; without the file everything works, slower at first. The arguments are
# those of the command.
cairn_jvm_options() {
    case $1 in
        # G1 is the standard where there are two processors.
        up | rehearse | master) echo "-Xmx2g" ;;
        chunk | nfs | mount) echo "-Xmx1g" ;;
        *) echo "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1" ;;
    esac
    if [ "$(cairn_processors)" -lt 4 ]; then
        case $1 in
            chunk | mount)
                (shift 2 && cairn_enciphers "$@") || echo "-XX:TieredStopAtLevel=1"
                ;;
        esac
    fi
    case $1 in
        up | master | chunk | mount | nfs) echo "-XX:+ExitOnOutOfMemoryError" ;;
    esac
    # A cache that another JDK made is ignored, without a word.
    case $2 in *[[:space:]]*) return 0 ;; esac
    if [ -r "$2" ]; then
        # What the rehearsal has shown to be hot is compiled before it is called, by a JVM that can.
        case $1 in up | master | chunk | mount) echo "-XX:+AOTCompileEagerly" ;; esac
        echo "-XX:AOTCache=$2 -Xlog:disable"
    fi
}

# shellcheck shell=sh
# The options of the JVM for each command, at most seven, beside those that all have
# (cli/src/main/dist/java.options). Sourced by the launchers, POSIX sh.
#
# The role decides, and the number of processors. What moves file contents is, on few processors,
# as fast with the first compiler alone, and does not share them with the second one; on four and
# more both work. Encryption needs the second one: only it knows the instructions of the processor
# for AES. TLS is native code. Commands that end at once get a quick start. bench/NOTES.md has the
# numbers.

# cairn_processors: prints how many processors this process may use.
cairn_processors() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }

# cairn_encrypts ARGUMENT...: true when a chunk server with these arguments encrypts files: they, the
# environment or the file of --config name a master key. What this overlooks is slow, and the
# process says so.
cairn_encrypts() (
    told=$*
    [ -z "${CAIRN_MASTER_KEY_FILE:-}${CAIRN_MASTER_KEY_COMMAND:-}" ] || return 0
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
    case " $told " in *--master-key* | *" master-key-"*) return 0 ;; esac
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
            chunk) (shift 2 && cairn_encrypts "$@") || echo "-XX:TieredStopAtLevel=1" ;;
            mount) echo "-XX:TieredStopAtLevel=1" ;;
            # The second compiler inlines less, and takes a third of the time from the first requests.
            master) echo "-XX:FreqInlineSize=60 -XX:MaxInlineLevel=6" ;;
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

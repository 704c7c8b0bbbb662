# shellcheck shell=sh
# The options of the JVM for each command. Sourced by the launchers, POSIX sh.
#
# The role decides. The master gets the throughput of both compilers; the second one inlines less than
# it would, is done in half the time, and the code is as fast. What moves file contents in streams
# is as fast with the first one alone, and does not share two processors with the second one. A mount
# would gain from both when it is warm, and lose before; people begin to work at once, so it has the
# first one and compiles early (ARCHITECTURE.md has the numbers). Commands that end at once get a
# quick start.

# cairn_jvm_options COMMAND CACHE: prints options, one word each. CACHE is what the JVM learned in a
# rehearsal; without the file everything works, slower at first.
cairn_jvm_options() {
    echo "--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
    # Netty would watch one buffer in 128 and remember where it was used: for developers.
    echo "-Dio.netty.leakDetection.level=disabled"
    case $1 in
        up | rehearse | master) echo "-Xms256m -Xmx2g -XX:+UseG1GC" \
            "-XX:FreqInlineSize=60 -XX:MaxInlineLevel=6" ;;
        chunk | mount) echo "-Xms128m -Xmx1g -XX:+UseG1GC -XX:TieredStopAtLevel=1" ;;
        nfs) echo "-Xms128m -Xmx1g -XX:+UseG1GC" ;;
        *) echo "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1" ;;
    esac
    case $1 in
        mount) echo "-XX:Tier3InvocationThreshold=10 -XX:Tier3MinInvocationThreshold=5" \
            "-XX:Tier3CompileThreshold=100 -XX:Tier3BackEdgeThreshold=6000" ;;
    esac
    # C2 threads give way to everybody else (Compilers); those that came later would not.
    case $1 in
        up | master | nfs) echo "-XX:-UseDynamicNumberOfCompilerThreads" ;;
    esac
    case $1 in
        up | master | chunk | mount) echo "-XX:+ExitOnOutOfMemoryError -XX:-UsePerfData" ;;
    esac
    # A cache that another JDK made is ignored, without a word.
    case $2 in *[[:space:]]*) return 0 ;; esac
    if [ -r "$2" ]; then
        # What the rehearsal has shown to be hot is compiled before it is called, by a JVM that can.
        case $1 in
            up | master | chunk | mount) echo "-XX:+IgnoreUnrecognizedVMOptions" \
                "-XX:+UnlockExperimentalVMOptions -XX:+AOTCompileEagerly" ;;
        esac
        echo "-XX:AOTCache=$2 -Xlog:disable -Xlog:all=error:stderr"
    fi
}

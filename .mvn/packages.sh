# shellcheck shell=sh disable=SC2034 # sourced: the scripts that do use what is set here
# The system packages Cairn wants, in one place. Sourced by mvnw and cairn, POSIX sh.

# Mounting: libfuse 2 (which jnr-fuse binds) and fusermount.
CAIRN_MOUNT_PACKAGES="libfuse2 fuse3"

# The tests: programs that work on the mount as people do, what makes a disk whose power is cut, and
# a browser for the web console.
CAIRN_TEST_PACKAGES="$CAIRN_MOUNT_PACKAGES gcc libc6-dev make git rsync sqlite3 attr
    e2fsprogs mount perl-base libnfs-utils iproute2 util-linux
    chromium chromium-driver"

# A Linux kernel as NFS client in a virtual machine, and its traffic under the microscope.
CAIRN_KERNEL_CLIENT_PACKAGES="qemu-system-x86 tshark iproute2 mount gcc libc6-dev"

# Fetching Maven on a machine that has none.
CAIRN_MAVEN_PACKAGES="maven"

# cairn_need_packages WHY PACKAGE...: returns 0 when all are there. As root on Debian or Ubuntu
# it installs what is missing and says so; elsewhere it prints the command that would, and exits 69
# (EX_UNAVAILABLE).
cairn_need_packages() {
    cairn_why=$1
    shift
    cairn_missing=
    for cairn_package in "$@"; do
        cairn_has_package "$cairn_package" || cairn_missing="$cairn_missing $cairn_package"
    done
    [ -n "$cairn_missing" ] || return 0
    # shellcheck disable=SC2086 # a list of words
    set -- $cairn_missing
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "cairn: installing $* ($cairn_why)" >&2
        cairn_apt_install "$@" && return 0
        echo "cairn: could not install $* ($cairn_why); run: apt-get update && apt-get install $*" >&2
        exit 69
    fi
    if command -v apt-get >/dev/null 2>&1; then
        echo "cairn: $cairn_why needs $*; run: sudo apt-get install -y $*" >&2
    else
        echo "cairn: $cairn_why needs the packages (Debian names) $*; install them and run again" >&2
    fi
    exit 69
}

# True when what package $1 is wanted for is there, wherever it came from.
cairn_has_package() {
    case $1 in
        libfuse2) PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q 'libfuse\.so\.2 ' ;;
        fuse3) command -v fusermount3 >/dev/null 2>&1 || command -v fusermount >/dev/null 2>&1 ;;
        maven) command -v mvn >/dev/null 2>&1 ;;
        e2fsprogs) PATH=$PATH:/sbin:/usr/sbin command -v mkfs.ext4 >/dev/null 2>&1 ;;
        perl-base) command -v perl >/dev/null 2>&1 ;;
        util-linux) command -v unshare >/dev/null 2>&1 ;;
        attr) command -v setfattr >/dev/null 2>&1 ;;
        qemu-system-x86) command -v qemu-system-x86_64 >/dev/null 2>&1 ;;
        iproute2) PATH=$PATH:/sbin:/usr/sbin command -v ip >/dev/null 2>&1 ;;
        chromium) [ -x /usr/bin/chromium ] ;;
        chromium-driver) [ -x /usr/bin/chromedriver ] ;;
        libnfs-utils) command -v nfs-cp >/dev/null 2>&1 ;;
        libc6-dev) [ -r /usr/include/stdlib.h ] ;;
        *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

cairn_apt_install() {
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    if ! apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 </dev/null; then
        apt-get update -qq >&2 </dev/null || return 1
        apt-get install -y -qq --no-install-recommends "$@" >/dev/null </dev/null || return 1
    fi
}

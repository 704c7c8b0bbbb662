package io.cairn.testkit.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The functions of glibc that {@link NativePosix} calls, by the shape of their arguments: {@code i}
 * int, {@code l} long (also pointers given as numbers), {@code p} pointer; variadic arguments
 * follow a comma. All return -1 and set errno on failure.
 */
enum Libc {
    OPEN("open", 'i', "pi,i"),
    CLOSE("close", 'i', "i"),
    DUP("dup", 'i', "i"),
    READ("read", 'l', "ipl"),
    PREAD("pread", 'l', "ipll"),
    WRITE("write", 'l', "ipl"),
    PWRITE("pwrite", 'l', "ipll"),
    LSEEK("lseek", 'l', "ili"),
    FSYNC("fsync", 'i', "i"),
    FDATASYNC("fdatasync", 'i', "i"),
    TRUNCATE("truncate", 'i', "pl"),
    FTRUNCATE("ftruncate", 'i', "il"),
    COPY_FILE_RANGE("copy_file_range", 'l', "ipipli"),
    FALLOCATE("fallocate", 'i', "iill"),
    STATX("statx", 'i', "ipiip"),
    STATVFS("statvfs", 'i', "pp"),
    ACCESS("access", 'i', "pi"),
    MKDIR("mkdir", 'i', "pi"),
    MKNOD("mknod", 'i', "pil"),
    SYMLINK("symlink", 'i', "pp"),
    READLINK("readlink", 'l', "ppl"),
    LINK("link", 'i', "pp"),
    LINKAT("linkat", 'i', "ipipi"),
    UNLINK("unlink", 'i', "p"),
    RMDIR("rmdir", 'i', "p"),
    RENAME("rename", 'i', "pp"),
    RENAMEAT2("renameat2", 'i', "ipipi"),
    CHMOD("chmod", 'i', "pi"),
    FCHMOD("fchmod", 'i', "ii"),
    CHOWN("chown", 'i', "pii"),
    LCHOWN("lchown", 'i', "pii"),
    FCHOWN("fchown", 'i', "iii"),
    UTIMENSAT("utimensat", 'i', "ippi"),
    FUTIMENS("futimens", 'i', "ip"),
    GETXATTR("getxattr", 'l', "pppl"),
    SETXATTR("setxattr", 'i', "pppli"),
    LSETXATTR("lsetxattr", 'i', "pppli"),
    REMOVEXATTR("removexattr", 'i', "pp"),
    LISTXATTR("listxattr", 'l', "ppl"),
    GETDENTS("getdents64", 'l', "ipl"),
    FLOCK("flock", 'i', "ii"),
    FCNTL("fcntl", 'i', "ii,p"),
    IOCTL("ioctl", 'i', "il,p"),
    MMAP("mmap", 'l', "lliiil"),
    MSYNC("msync", 'i', "lli"),
    MUNMAP("munmap", 'i', "ll"),
    UMASK("umask", 'i', "i"),
    CHDIR("chdir", 'i', "p"),
    UNSHARE("unshare", 'i', "i"),
    GETGROUPS("getgroups", 'i', "ip"),
    /** Raw, because the functions of glibc change all threads of the process. */
    SYSCALL_GROUPS("syscall", 'l', "l,lp"),
    SYSCALL_IDS("syscall", 'l', "l,iii");

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO_AT =
            STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private final MethodHandle handle;

    @SuppressWarnings("restricted") // native access is what this class is for
    Libc(String name, char result, String arguments) {
        Linker linker = Linker.nativeLinker();
        List<Linker.Option> options = new ArrayList<>();
        options.add(Linker.Option.captureCallState("errno"));
        int comma = arguments.indexOf(',');
        if (comma >= 0) {
            options.add(Linker.Option.firstVariadicArg(comma));
        }
        MemoryLayout[] shape =
                arguments
                        .replace(",", "")
                        .chars()
                        .mapToObj(Libc::layout)
                        .toArray(MemoryLayout[]::new);
        MemorySegment symbol =
                linker.defaultLookup()
                        .find(name)
                        .orElseThrow(() -> new IllegalStateException("glibc lacks " + name));
        handle =
                linker.downcallHandle(
                        symbol,
                        FunctionDescriptor.of(layout(result), shape),
                        options.toArray(Linker.Option[]::new));
    }

    private static MemoryLayout layout(int code) {
        return switch (code) {
            case 'i' -> ValueLayout.JAVA_INT;
            case 'l' -> ValueLayout.JAVA_LONG;
            case 'p' -> ValueLayout.ADDRESS;
            default -> throw new IllegalArgumentException("layout " + (char) code);
        };
    }

    /**
     * Calls the function.
     *
     * @param arguments Integer, Long or MemorySegment as the shape says
     * @return what it returned, or minus errno when it failed
     */
    long call(Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            List<Object> all = new ArrayList<>(arguments.length + 1);
            all.add(state);
            all.addAll(List.of(arguments));
            long result = ((Number) handle.invokeWithArguments(all)).longValue();
            return result == -1 ? -state.get(ValueLayout.JAVA_INT, ERRNO_AT) : result;
        } catch (Throwable e) {
            throw new IllegalStateException(name() + " could not be called", e);
        }
    }
}

package io.cairn.fuse.loop;

import io.cairn.base.Spelling;
import io.cairn.fuse.sys.MountException;
import io.cairn.fuse.sys.MountException.Category;
import io.cairn.os.MountCalls;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How to mount. Immutable.
 *
 * @param driver who speaks with the kernel
 * @param readOnly whether the kernel refuses changes
 * @param allowOther whether users other than the one who mounted may enter
 * @param nonEmpty whether a mountpoint that contains files is accepted (they are hidden meanwhile)
 * @param acl whether the kernel enforces access control lists; it then asks for the lists of every
 *     inode that it checks
 * @param attributeTimeoutMs how long the kernel may answer {@code stat} from its memory, or {@link
 *     #CHOICE_OF_DRIVER}
 * @param entryTimeoutMs how long the kernel may keep that a name leads to an inode
 * @param maxBackground asynchronous requests (read-ahead, direct I/O) in flight, 1..65535
 * @param threads most threads that serve requests, 1..1024
 * @param readAheadKb read-ahead of the kernel in KiB; 0 leaves the default of the kernel
 * @param waitLimitMs how long a call waits for masters and chunk servers that do not answer, before
 *     it fails with ETIMEDOUT; {@link #WITHOUT_LIMIT} waits as long as it takes, unless the process
 *     gets a signal
 * @param direct whether files of chunk servers on this machine are read without the network
 * @param names when the masters hear of changes of names
 * @param fsName what {@code df} shows as the device
 * @param kernelFlags options of mount(8) that the kernel keeps, such as {@code noexec}; not changed
 *     after construction. Set-uid programs and devices of the cluster count for nothing unless they
 *     say otherwise: who may write to the cluster is not always root here
 */
public record MountOptions(
        DriverKind driver,
        boolean readOnly,
        boolean allowOther,
        boolean nonEmpty,
        boolean acl,
        long attributeTimeoutMs,
        long entryTimeoutMs,
        int maxBackground,
        int threads,
        int readAheadKb,
        long waitLimitMs,
        boolean direct,
        Names names,
        String fsName,
        List<String> kernelFlags) {

    /** When the masters hear of names that are made or taken away. */
    public enum Names {
        /** Before the change is answered. */
        SYNC,
        /** Of a new file when it is closed, where this mount alone looks at its directory. */
        DELEGATED,
        /** The same, and of names that are taken away soon after that was answered. */
        ASYNC
    }

    /** Ways to the kernel. */
    public enum DriverKind {
        /** Callbacks of libfuse 2 by way of jnr-fuse. */
        JNR,
        /** The protocol of {@code /dev/fuse} itself; libfuse only mounts. */
        KERNEL;

        /** The value of the option. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The value of {@link #attributeTimeoutMs} that leaves it to the driver. */
    public static final long CHOICE_OF_DRIVER = -1;

    /** The value of {@link #waitLimitMs} of a hard mount: a year. */
    public static final long WITHOUT_LIMIT = TimeUnit.DAYS.toMillis(365);

    /** The value of {@link #waitLimitMs} of a soft mount that does not say another one. */
    private static final long SOFT_MS = 60_000;

    private static final Set<String> KERNEL_FLAGS =
            Set.of(
                    "rw",
                    "suid",
                    "nosuid",
                    "dev",
                    "nodev",
                    "exec",
                    "noexec",
                    "async",
                    "sync",
                    "dirsync",
                    "atime",
                    "noatime",
                    "nosymfollow",
                    "symfollow");

    /** Options that mount(8) and fstab pass along without a meaning for the filesystem. */
    private static final Set<String> IGNORED =
            Set.of(
                    ("defaults auto noauto user nouser users nousers owner noowner group nogroup"
                                    + " _netdev nofail relatime norelatime strictatime"
                                    + " nostrictatime nodiratime diratime lazytime nolazytime"
                                    + " iversion noiversion mand nomand silent loud helper uhelper"
                                    + " default_permissions intr nointr username credentials ca")
                            .split(" "));

    /** The labels of SELinux: for a kernel that has it, and for no other, as mount(8) does it. */
    private static final Set<String> LABELS =
            Set.of("context", "fscontext", "defcontext", "rootcontext");

    private static final Path SELINUX = Path.of("/sys/fs/selinux/enforce");

    private static final Set<String> OWN =
            Set.of(
                    "ro",
                    "allow_other",
                    "noallow_other",
                    "nonempty",
                    "acl",
                    "noacl",
                    "ca",
                    "credentials",
                    "driver",
                    "attr_timeout",
                    "entry_timeout",
                    "max_background",
                    "threads",
                    "read_ahead_kb",
                    "direct",
                    "names",
                    "hard",
                    "soft",
                    "timeout",
                    "fsname");

    /** The options for an empty {@code -o}: those of root if this process is. */
    public static MountOptions standard() {
        boolean root = MountCalls.isRoot();
        return new MountOptions(
                DriverKind.KERNEL,
                false,
                root,
                false,
                false,
                CHOICE_OF_DRIVER,
                1000,
                64,
                64,
                root ? 1024 : 0,
                WITHOUT_LIMIT,
                true,
                Names.DELEGATED,
                "cairn",
                List.of("nodev", "nosuid"));
    }

    /**
     * Reads the value of {@code -o}: options separated by commas, a comma within a value as {@code
     * \,} or within double quotes. An empty text gives {@link #standard()}.
     *
     * @throws MountException (USAGE) for an unknown option, with a hint, or a bad value
     */
    public static MountOptions parse(String text) {
        MountOptions options = standard();
        boolean soft = false;
        long timeoutMs = 0;
        for (String part : split(text)) {
            if (part.equals("soft") || part.equals("hard")) {
                soft = part.equals("soft");
            } else if (part.startsWith("timeout=")) {
                timeoutMs = milliseconds("timeout", part.substring("timeout=".length()));
                if (timeoutMs == 0) {
                    throw new MountException(Category.USAGE, part + ": must be above 0");
                }
            } else if (!part.isEmpty()) {
                options = options.with(part);
            }
        }
        if (timeoutMs != 0 && !soft) {
            throw new MountException(
                    Category.USAGE, "timeout is for mounts that give up waiting: add 'soft'");
        }
        return soft ? options.withWaitLimitMs(timeoutMs == 0 ? SOFT_MS : timeoutMs) : options;
    }

    /**
     * The value of an option for others than the filesystem, such as {@code credentials}.
     *
     * @param text as for {@link #parse}
     * @return the last one; null when the option is not there or has no value
     */
    public static @Nullable String value(String text, String name) {
        return split(text).stream()
                .filter(part -> part.startsWith(name + "="))
                .map(part -> part.substring(name.length() + 1))
                .reduce(null, (_, last) -> last);
    }

    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length()) {
                i++;
                part.append(text.charAt(i));
            } else if (c == ',' && !quoted) {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                quoted ^= c == '"';
                part.append(c);
            }
        }
        parts.add(part.toString());
        return parts;
    }

    private MountOptions with(String option) {
        int equals = option.indexOf('=');
        String name = equals < 0 ? option : option.substring(0, equals);
        String value = equals < 0 ? "" : option.substring(equals + 1);
        if (IGNORED.contains(name)
                || name.startsWith("x-")
                || name.startsWith("X-")
                || name.startsWith("comment")) {
            return this;
        }
        if (LABELS.contains(name)) {
            return Files.exists(SELINUX) ? withKernelFlag(option) : this;
        }
        if (KERNEL_FLAGS.contains(name)) {
            return withKernelFlag(name);
        }
        return switch (name) {
            case "ro" -> withReadOnly(true);
            case "allow_other" -> withAllowOther(true);
            case "noallow_other" -> withAllowOther(false);
            case "nonempty" -> withNonEmpty(true);
            case "acl" -> withAcl(true);
            case "noacl" -> withAcl(false);
            case "driver" -> withDriver(driver(value));
            case "attr_timeout" -> withAttributeTimeoutMs(milliseconds(name, value));
            case "entry_timeout" -> withEntryTimeoutMs(milliseconds(name, value));
            case "max_background" -> withMaxBackground(number(name, value, 1, 65_535));
            case "threads" -> withThreads(number(name, value, 1, 1024));
            case "read_ahead_kb" -> withReadAheadKb(number(name, value, 0, 1 << 20));
            case "direct" -> withDirect(onOrOff(name, value));
            case "names" -> withNames(names(value));
            case "fsname" -> withFsName(value);
            case "password", "pass" ->
                    throw new MountException(
                            Category.USAGE,
                            "everybody on this machine can read mount options: put the password"
                                    + " into a file and name it with credentials=FILE");
            default -> throw unknown(name);
        };
    }

    private static MountException unknown(String name) {
        Set<String> known = new TreeSet<>(OWN);
        known.addAll(KERNEL_FLAGS);
        String nearest = Spelling.nearest(known, name);
        String hint =
                nearest != null
                        ? "did you mean '" + nearest + "'?"
                        : "known are " + String.join(", ", known);
        return new MountException(Category.USAGE, "unknown mount option '" + name + "'; " + hint);
    }

    private static DriverKind driver(String value) {
        return switch (value) {
            case "jnr" -> DriverKind.JNR;
            case "kernel" -> DriverKind.KERNEL;
            default ->
                    throw new MountException(
                            Category.USAGE, "driver=" + value + ": must be jnr or kernel");
        };
    }

    private static Names names(String value) {
        return switch (value) {
            case "sync" -> Names.SYNC;
            case "delegated" -> Names.DELEGATED;
            case "async" -> Names.ASYNC;
            default ->
                    throw new MountException(
                            Category.USAGE,
                            "names=" + value + ": must be sync, delegated or async");
        };
    }

    private static boolean onOrOff(String name, String value) {
        return switch (value) {
            case "on" -> true;
            case "off" -> false;
            default ->
                    throw new MountException(
                            Category.USAGE, name + "=" + value + ": must be on or off");
        };
    }

    private static long milliseconds(String name, String value) {
        try {
            BigDecimal seconds = new BigDecimal(value);
            if (seconds.signum() >= 0 && seconds.compareTo(BigDecimal.valueOf(86_400)) <= 0) {
                return seconds.movePointRight(3).longValue();
            }
        } catch (NumberFormatException e) {
            // refused below, like a number out of range
        }
        throw new MountException(
                Category.USAGE, name + "=" + value + ": must be seconds, 0 to 86400, such as 1.5");
    }

    private static int number(String name, String value, int min, int max) {
        try {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // refused below, like a number out of range
        }
        throw new MountException(
                Category.USAGE,
                name + "=" + value + ": must be a number from " + min + " to " + max);
    }

    public MountOptions withDriver(DriverKind value) {
        return copy(value, readOnly, allowOther, nonEmpty, fsName, kernelFlags);
    }

    public MountOptions withReadOnly(boolean value) {
        return copy(driver, value, allowOther, nonEmpty, fsName, kernelFlags);
    }

    public MountOptions withAllowOther(boolean value) {
        return copy(driver, readOnly, value, nonEmpty, fsName, kernelFlags);
    }

    public MountOptions withNonEmpty(boolean value) {
        return copy(driver, readOnly, allowOther, value, fsName, kernelFlags);
    }

    public MountOptions withAcl(boolean value) {
        return service(value, waitLimitMs, direct, names);
    }

    public MountOptions withWaitLimitMs(long value) {
        return service(acl, value, direct, names);
    }

    public MountOptions withDirect(boolean value) {
        return service(acl, waitLimitMs, value, names);
    }

    public MountOptions withNames(Names value) {
        return service(acl, waitLimitMs, direct, value);
    }

    private MountOptions service(
            boolean newAcl, long newWaitLimitMs, boolean newDirect, Names newNames) {
        return new MountOptions(
                driver,
                readOnly,
                allowOther,
                nonEmpty,
                newAcl,
                attributeTimeoutMs,
                entryTimeoutMs,
                maxBackground,
                threads,
                readAheadKb,
                newWaitLimitMs,
                newDirect,
                newNames,
                fsName,
                kernelFlags);
    }

    public MountOptions withFsName(String value) {
        return copy(driver, readOnly, allowOther, nonEmpty, value, kernelFlags);
    }

    private MountOptions withKernelFlag(String flag) {
        String opposite = flag.startsWith("no") ? flag.substring(2) : "no" + flag;
        List<String> flags = new ArrayList<>(kernelFlags);
        flags.remove(opposite);
        flags.remove(flag);
        flags.add(flag);
        boolean stillReadOnly = readOnly && !flag.equals("rw");
        return copy(driver, stillReadOnly, allowOther, nonEmpty, fsName, List.copyOf(flags));
    }

    private MountOptions copy(
            DriverKind newDriver,
            boolean newReadOnly,
            boolean newAllowOther,
            boolean newNonEmpty,
            String newFsName,
            List<String> newKernelFlags) {
        return new MountOptions(
                newDriver,
                newReadOnly,
                newAllowOther,
                newNonEmpty,
                acl,
                attributeTimeoutMs,
                entryTimeoutMs,
                maxBackground,
                threads,
                readAheadKb,
                waitLimitMs,
                direct,
                names,
                newFsName,
                newKernelFlags);
    }

    public MountOptions withAttributeTimeoutMs(long value) {
        return numbers(value, entryTimeoutMs, maxBackground, threads, readAheadKb);
    }

    public MountOptions withEntryTimeoutMs(long value) {
        return numbers(attributeTimeoutMs, value, maxBackground, threads, readAheadKb);
    }

    public MountOptions withMaxBackground(int value) {
        return numbers(attributeTimeoutMs, entryTimeoutMs, value, threads, readAheadKb);
    }

    public MountOptions withThreads(int value) {
        return numbers(attributeTimeoutMs, entryTimeoutMs, maxBackground, value, readAheadKb);
    }

    public MountOptions withReadAheadKb(int value) {
        return numbers(attributeTimeoutMs, entryTimeoutMs, maxBackground, threads, value);
    }

    private MountOptions numbers(
            long newAttributeTimeoutMs,
            long newEntryTimeoutMs,
            int newMaxBackground,
            int newThreads,
            int newReadAheadKb) {
        return new MountOptions(
                driver,
                readOnly,
                allowOther,
                nonEmpty,
                acl,
                newAttributeTimeoutMs,
                newEntryTimeoutMs,
                newMaxBackground,
                newThreads,
                newReadAheadKb,
                waitLimitMs,
                direct,
                names,
                fsName,
                kernelFlags);
    }
}

package io.cairn.node;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What the machine has that settings are chosen by at the start. */
final class Machine {
    private Machine() {}

    /** Bytes of memory of the machine; in a container, what it may use. */
    static long memoryBytes() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                .getTotalMemorySize();
    }
}

package io.cairn.node;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The properties of the machine by which settings are chosen at the start. */
final class Machine {
    private Machine() {}

    /** Bytes of memory of the machine; in a container, what it may use. */
    static long memoryBytes() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                .getTotalMemorySize();
    }
}

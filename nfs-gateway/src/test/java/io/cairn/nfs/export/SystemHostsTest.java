package io.cairn.nfs.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.ManualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SystemHostsTest {
    private final ManualClock clock = new ManualClock(1_000_000);
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean broken;

    private final SystemHosts hosts =
            new SystemHosts(
                    new SystemHosts.Source() {
                        @Override
                        public @Nullable String name(InetAddress address) throws IOException {
                            asked.incrementAndGet();
                            if (broken) {
                                throw new IOException("no name server");
                            }
                            return address.getHostAddress().equals("10.0.0.1") ? "one.org" : null;
                        }

                        @Override
                        public @Nullable String netgroup(String name) {
                            asked.incrementAndGet();
                            return switch (name) {
                                case "some" -> "some  (One,,) ( two ,-,x) (-,user,)\n";
                                case "all" -> "all (,user,)";
                                default -> null;
                            };
                        }
                    },
                    clock);

    private static InetAddress address(String text) throws Exception {
        return InetAddress.getByName(text);
    }

    @Test
    void namesAreAskedForOnceInAWhile() throws Exception {
        assertEquals("one.org", hosts.nameOf(address("10.0.0.1")));
        assertEquals("one.org", hosts.nameOf(address("10.0.0.1")));
        assertNull(hosts.nameOf(address("10.0.0.2")));
        assertEquals(2, asked.get());
        clock.advance(60_000);
        assertEquals("one.org", hosts.nameOf(address("10.0.0.1")));
        assertNull(hosts.nameOf(address("10.0.0.2")));
        assertEquals(3, asked.get(), "only what was not known");
        clock.advance(600_000);
        assertEquals("one.org", hosts.nameOf(address("10.0.0.1")));
        assertEquals(4, asked.get());
    }

    @Test
    void netgroupsAreThoseOfInnetgr() {
        assertTrue(hosts.isMember("some", "one"));
        assertTrue(hosts.isMember("some", "TWO"));
        assertFalse(hosts.isMember("some", "three"));
        assertFalse(hosts.isMember("some", "-"));
        assertTrue(hosts.isMember("all", "anybody"));
        assertFalse(hosts.isMember("none", "one"));
        assertEquals(3, asked.get());
    }

    @Test
    void whoCannotBeAskedForHasNoName() throws Exception {
        broken = true;
        assertNull(hosts.nameOf(address("10.0.0.1")));
        broken = false;
        clock.advance(31_000);
        assertEquals("one.org", hosts.nameOf(address("10.0.0.1")));
    }
}

package io.cairn.nfs.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.nfs.rpc.Credential;
import io.cairn.runtime.Clock;
import io.cairn.testkit.ManualClock;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SystemGroupsTest {
    private final AtomicInteger asked = new AtomicInteger();
    private final ManualClock clock = new ManualClock(0);

    @Test
    void moreThanSixteenGroupsCountAndAreKeptForAWhile() {
        int[] many = IntStream.range(100, 150).toArray();
        SystemGroups groups =
                new SystemGroups(
                        uid -> {
                            asked.incrementAndGet();
                            return uid == 5 ? many : null;
                        },
                        clock);
        assertArrayEquals(many, groups.complete(Credential.sys(5, 7, 1, 2)).groups());
        assertEquals(7, groups.complete(Credential.sys(5, 7)).gid());
        assertEquals(1, asked.get());
        Credential unknown = Credential.sys(6, 7, 1, 2);
        assertSame(unknown, groups.complete(unknown), "what the client says");
        assertSame(Credential.NONE, groups.complete(Credential.NONE));
        clock.advance(60_000);
        groups.complete(Credential.sys(5, 7));
        assertEquals(2, asked.get());
        groups.complete(unknown);
        assertEquals(3, asked.get());
        clock.advance(300_000);
        groups.complete(Credential.sys(5, 7));
        assertEquals(4, asked.get());
    }

    @Test
    void failureIsNotKept() {
        SystemGroups groups =
                new SystemGroups(
                        uid -> {
                            if (asked.incrementAndGet() == 1) {
                                throw new IOException("no answer");
                            }
                            return new int[] {3};
                        },
                        clock);
        FsException e =
                assertThrows(FsException.class, () -> groups.complete(Credential.sys(5, 7)));
        assertEquals(Errno.ETIMEDOUT, e.errno());
        assertArrayEquals(new int[] {3}, groups.complete(Credential.sys(5, 7)).groups());
    }

    @Test
    void nameServiceOfThisMachineIsAsked() {
        SystemGroups groups = new SystemGroups(Clock.system());
        int[] ofRoot = groups.complete(Credential.sys(0, 0, 4711)).groups();
        assertTrue(IntStream.of(ofRoot).anyMatch(group -> group == 0));
        assertTrue(IntStream.of(ofRoot).noneMatch(group -> group == 4711));
        assertArrayEquals(
                new int[] {4711}, groups.complete(Credential.sys(3_999_999, 0, 4711)).groups());
    }
}

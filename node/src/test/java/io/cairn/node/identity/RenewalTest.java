package io.cairn.node.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.SigningRequest;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RenewalTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir private Path directory;

    private final SecureRandom random = new SecureRandom();
    private final HandClock clock = new HandClock();
    private final HandScheduler scheduler = new HandScheduler();
    private volatile CertificateAuthority authority = CertificateAuthority.found(clock, random);
    private volatile Authorities authorities = Authorities.of(authority.certificate());
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean isAway;

    /** Time that a test moves. */
    private static final class HandClock implements Clock {
        private final AtomicLong nowMs = new AtomicLong(1_700_000_000_000L);

        void advance(Duration time) {
            nowMs.addAndGet(time.toMillis());
        }

        @Override
        public long nanoTime() {
            return nowMs.get() * 1_000_000;
        }

        @Override
        public long wallNs() {
            return nowMs.get() * 1_000_000;
        }
    }

    /** Tasks that a test runs. */
    private static final class HandScheduler implements Scheduler {
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private final Semaphore scheduled = new Semaphore(0);
        private volatile long delayMs;

        @Override
        public synchronized Timer schedule(Runnable task, long delay) {
            tasks.add(task);
            delayMs = delay;
            scheduled.release();
            return () -> forget(task);
        }

        private synchronized void forget(Runnable task) {
            tasks.remove(task);
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        private synchronized int waiting() {
            return tasks.size();
        }

        /** Runs the one task that waits, and awaits the next one. */
        void turn() throws InterruptedException {
            assertEquals(1, waiting());
            scheduled.drainPermits();
            Runnable task;
            synchronized (this) {
                task = Objects.requireNonNull(tasks.poll());
            }
            task.run();
            assertTrue(scheduled.tryAcquire(60, TimeUnit.SECONDS), "it looks no more");
        }
    }

    private byte[] sign(byte[] request) {
        asked.incrementAndGet();
        if (isAway) {
            throw new FsException(Errno.ETIMEDOUT, "no answer from a master");
        }
        return Identity.chain(
                authority.sign(request, Role.CHUNK, "c1", clock.now(), CertificateAuthority.LIFE),
                authorities);
    }

    private TlsSecurity security() {
        SigningRequest request = SigningRequest.make(random);
        Identity first = Identity.of(request.key(), sign(request.bytes()));
        asked.set(0);
        first.write(directory);
        return new TlsSecurity(first, clock, new Refusals("test", clock));
    }

    private Renewal renewal(TlsSecurity security) {
        return new Renewal(security, directory, this::sign, scheduler, clock, random);
    }

    @Test
    void theNextOneComesTenDaysBeforeTheEndWithANewKey() throws Exception {
        TlsSecurity security = security();
        Identity first = security.identity();
        try (Renewal _ = renewal(security)) {
            assertTrue(scheduler.delayMs <= HOUR.toMillis(), scheduler.delayMs + " ms");
            clock.advance(Duration.ofDays(19));
            scheduler.turn();
            assertSame(first, security.identity());
            assertEquals(0, asked.get());
            clock.advance(Duration.ofDays(1).plus(HOUR));
            scheduler.turn();
            assertEquals(1, asked.get());
            Identity second = security.identity();
            assertNotEquals(first.key(), second.key());
            assertEquals(first.subject(), second.subject());
            assertTrue(second.expires().isAfter(first.expires().plus(Duration.ofDays(19))));
            assertEquals(second.certificate(), Identity.read(directory).certificate());
            scheduler.turn();
            assertEquals(1, asked.get());
        }
        assertEquals(0, scheduler.waiting());
    }

    /** Timers stand still while a machine sleeps: a long one would come days too late. */
    @Test
    void itLooksAtTheTimeOnceAMinute() {
        try (Renewal _ = renewal(security())) {
            assertTrue(scheduler.delayMs <= 60_000, scheduler.delayMs + " ms");
        }
    }

    private static String pem(Authorities told) {
        return new String(told.pem(), StandardCharsets.US_ASCII);
    }

    private static void eventually(String what, BooleanSupplier isSo) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!isSo.getAsBoolean()) {
            assertTrue(System.nanoTime() - endNs < 0, what);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Test
    void whoHearsOfANewAuthorityGetsACertificateOfIt() throws Exception {
        TlsSecurity security = security();
        Identity first = security.identity();
        CertificateAuthority next = authority.successor(clock);
        Authorities both =
                authorities.followedBy(
                        next.certificate(), authority.introduce(next.certificate(), clock));
        try (Renewal renewal = renewal(security)) {
            isAway = true;
            renewal.trust(pem(both));
            eventually("it asks", () -> asked.get() == 1);
            assertEquals(first.certificate(), security.identity().certificate());
            assertEquals(both, security.identity().authorities());
            assertEquals(both, Identity.read(directory).authorities());
            isAway = false;
            authority = next;
            authorities = both;
            // Without another word of a master.
            scheduler.turn();
            assertEquals(2, asked.get());
            assertTrue(security.identity().isOfPresentAuthority());
            Authorities alone = Authorities.of(next.certificate());
            renewal.trust(pem(alone));
            eventually("the end", () -> security.identity().authorities().equals(alone));
            assertEquals(alone, Identity.read(directory).authorities());
            assertEquals(2, asked.get());
        }
    }

    @Test
    void aFailureThatNobodyExpectedDoesNotEndIt() throws Exception {
        AtomicBoolean failed = new AtomicBoolean();
        CertificateIssuer failing =
                request -> {
                    if (failed.compareAndSet(false, true)) {
                        throw new IllegalStateException("expected by the test");
                    }
                    return sign(request);
                };
        TlsSecurity security = security();
        try (Renewal _ = new Renewal(security, directory, failing, scheduler, clock, random)) {
            clock.advance(Duration.ofDays(25));
            scheduler.turn();
            assertEquals(0, asked.get());
            scheduler.turn();
            assertEquals(1, asked.get());
        }
    }

    /** As when several mounts have one directory, and get certificates at the same time. */
    @Test
    void whatCannotBeWrittenIsUsedAndWrittenLater() throws Exception {
        TlsSecurity security = security();
        Identity first = security.identity();
        Path moved = directory.resolve("moved");
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
        try (Renewal _ = new Renewal(security, link, this::sign, scheduler, clock, random)) {
            Files.move(link, moved);
            Files.createFile(link);
            clock.advance(Duration.ofDays(25));
            scheduler.turn();
            Identity second = security.identity();
            assertNotEquals(first.certificate(), second.certificate());
            scheduler.turn();
            assertEquals(first.certificate(), Identity.read(directory).certificate());
            Files.delete(link);
            Files.move(moved, link);
            scheduler.turn();
            assertEquals(second.certificate(), Identity.read(directory).certificate());
            assertEquals(1, asked.get());
        }
    }

    /** The masters keep all certificates that are valid, and sign no more when there are many. */
    @Test
    void aLeaderWithoutTheNewKeyIsNotAskedAgainAndAgain() throws Exception {
        TlsSecurity security = security();
        CertificateAuthority next = authority.successor(clock);
        authorities =
                authorities.followedBy(
                        next.certificate(), authority.introduce(next.certificate(), clock));
        try (Renewal renewal = renewal(security)) {
            renewal.trust(pem(authorities));
            eventually("it asks", () -> asked.get() == 1);
            for (int i = 0; i < 5; i++) {
                scheduler.turn();
            }
            assertEquals(1, asked.get());
            assertFalse(security.identity().isOfPresentAuthority());
            clock.advance(HOUR.multipliedBy(13));
            scheduler.turn();
            assertEquals(2, asked.get());
            // The leader has it now, and tells.
            authority = next;
            renewal.trust(pem(authorities));
            eventually("the new one", () -> security.identity().isOfPresentAuthority());
            assertEquals(3, asked.get());
        }
    }

    /** It would be of no use to anybody then, and could not be read again. */
    @Test
    void aCertificateIsNotKeptWithoutItsAuthority() throws Exception {
        TlsSecurity security = security();
        Authorities foreign =
                Authorities.of(CertificateAuthority.found(clock, random).certificate());
        CertificateAuthority next = authority.successor(clock);
        Authorities both =
                authorities.followedBy(
                        next.certificate(), authority.introduce(next.certificate(), clock));
        try (Renewal renewal = renewal(security)) {
            renewal.trust(pem(foreign));
            renewal.trust("nothing");
            authority = next;
            authorities = both;
            renewal.trust(pem(both));
            eventually("the last word", () -> security.identity().authorities().equals(both));
            assertEquals(both, Identity.read(directory).authorities());
        }
    }

    /** As somebody in the middle of a plain connection can, while the cluster changes to TLS. */
    @Test
    void anAuthorityThatNobodyHasIntroducedIsNotTrusted() throws Exception {
        TlsSecurity security = security();
        Authorities own = authorities;
        X509Certificate foreign = CertificateAuthority.found(clock, random).certificate();
        Authorities smuggled = new Authorities(List.of(authority.certificate(), foreign));
        try (Renewal renewal = renewal(security)) {
            clock.advance(Duration.ofDays(25));
            authorities = smuggled;
            Identity first = security.identity();
            scheduler.turn();
            assertEquals(1, asked.get());
            assertSame(first, security.identity());
            renewal.follow(pem(smuggled));
            renewal.follow(pem(new Authorities(List.of(foreign, authority.certificate()))));
            assertEquals(own, security.identity().authorities());
            authorities = own;
            scheduler.turn();
            assertNotEquals(first.certificate(), security.identity().certificate());
        }
    }

    @Test
    void aCertificateOfSomebodyElseIsNotTaken() throws Exception {
        TlsSecurity security = security();
        CertificateIssuer wrong =
                request ->
                        Identity.chain(
                                authority.sign(
                                        request,
                                        Role.CHUNK,
                                        "c2",
                                        clock.now(),
                                        CertificateAuthority.LIFE),
                                authorities);
        Identity first = security.identity();
        try (Renewal _ = new Renewal(security, directory, wrong, scheduler, clock, random)) {
            clock.advance(Duration.ofDays(25));
            scheduler.turn();
            assertSame(first, security.identity());
        }
    }

    /** Until then they count it among those who need the former authority. */
    @Test
    void mastersHearThatTheCertificateOfANewAuthorityWasKept() throws Exception {
        TlsSecurity security = security();
        List<String> told = new CopyOnWriteArrayList<>();
        AtomicBoolean fails = new AtomicBoolean(true);
        CertificateIssuer masters =
                new CertificateIssuer() {
                    @Override
                    public byte[] sign(byte[] request) {
                        return RenewalTest.this.sign(request);
                    }

                    @Override
                    public void kept(String serial) {
                        // As it is before anybody sees the call.
                        boolean unheard = fails.get();
                        told.add(serial);
                        if (unheard) {
                            throw new FsException(Errno.ETIMEDOUT, "no answer from a master");
                        }
                    }
                };
        CertificateAuthority next = authority.successor(clock);
        Authorities both =
                authorities.followedBy(
                        next.certificate(), authority.introduce(next.certificate(), clock));
        authority = next;
        authorities = both;
        try (Renewal renewal =
                new Renewal(security, directory, masters, scheduler, clock, random)) {
            scheduler.turn();
            assertEquals(List.of(), told, "there is one authority");
            renewal.trust(pem(both));
            eventually("it tells", () -> told.size() == 1);
            String serial = security.identity().certificate().getSerialNumber().toString(16);
            assertEquals(List.of(serial), told);
            fails.set(false);
            scheduler.turn();
            assertEquals(List.of(serial, serial), told);
            scheduler.turn();
            assertEquals(2, told.size(), "it was heard");
        }
        // A process that was ended before it could tell, tells when it is started again.
        try (Renewal _ = new Renewal(security, directory, masters, scheduler, clock, random)) {
            scheduler.turn();
            assertEquals(3, told.size());
        }
    }

    @Test
    void itAsksAgainWhileNoMasterAnswers() throws Exception {
        TlsSecurity security = security();
        Identity first = security.identity();
        try (Renewal _ = renewal(security)) {
            isAway = true;
            clock.advance(Duration.ofDays(25));
            scheduler.turn();
            scheduler.turn();
            assertEquals(2, asked.get());
            assertSame(first, security.identity());
            assertEquals(first.certificate(), Identity.read(directory).certificate());
            isAway = false;
            scheduler.turn();
            assertEquals(3, asked.get());
            assertNotEquals(first.certificate(), security.identity().certificate());
        }
    }
}

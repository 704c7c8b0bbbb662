package io.cairn.client.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.FakeCluster;
import io.cairn.client.session.Await;
import io.cairn.client.session.SessionState;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PlacementGroup;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.master.Reply;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The tickets that a client shows, asks for and gives up. */
class ChunkTicketsTest {
    private static final long WAIT_MS = 60_000;
    private static final ChunkPlace PLACE =
            new ChunkPlace(new Layout(16, 0, 5, List.of(Layout.Run.of(0, 1, 77))), 77, 3);

    private final FakeCluster cluster = new FakeCluster(16);
    private final Queue<Integer> shown = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        cluster.close();
    }

    private ChunkIo connect(boolean secured, Consumer<Ticket> check) {
        cluster.network.secured = secured;
        cluster.servers.forEach(
                server ->
                        server.ticketCheck =
                                ticket -> {
                                    shown.add(number(ticket));
                                    check.accept(ticket);
                                });
        return cluster.connect(cluster.settings().withRequestTimeoutMs(WAIT_MS)).mount().chunks();
    }

    /** 0 stands for none. */
    private static int number(Ticket ticket) {
        return ticket.bytes().length == 0 ? 0 : ticket.bytes()[0];
    }

    private static void read(ChunkIo io) {
        Await.get(io.read(PLACE, 0, 100), WAIT_MS).release();
    }

    private static void refuseBelow(Ticket ticket, int first) {
        if (number(ticket) < first) {
            throw new FsException(Errno.BAD_TICKET, "a ticket that has expired");
        }
    }

    @Test
    void withoutCertificatesNobodyAsksForTickets() {
        read(connect(false, _ -> {}));
        assertEquals(List.of(0), List.copyOf(shown));
        assertEquals(0, cluster.shared.tickets);
    }

    @Test
    void oneTicketIsGoodForManyRequests() {
        ChunkIo io = connect(true, _ -> {});
        read(io);
        read(io);
        Await.get(io.stat(PLACE), WAIT_MS);
        assertEquals(List.of(1, 1, 1), List.copyOf(shown));
        assertEquals(1, cluster.shared.tickets);
    }

    @Test
    void aWriteWithARefusedTicketIsDoneWithTheNextOne() {
        ChunkIo io = connect(true, ticket -> refuseBelow(ticket, 2));
        byte[] bytes = {1, 2, 3};
        SessionState session = cluster.connect().mount().master().session();
        CompletableFuture<?> written =
                io.write(
                        PLACE,
                        io.newOperation(),
                        0,
                        Unpooled.wrappedBuffer(bytes),
                        Crc32c.ofPieces(ByteBuffer.wrap(bytes), 0),
                        new WritePermit(session, 0));
        Await.get(written, WAIT_MS);
        assertEquals(List.of(1, 2), List.copyOf(shown));
        assertEquals(1, cluster.writes());
    }

    @Test
    void whoGetsNoGoodTicketHearsOfIt() {
        ChunkIo io = connect(true, ticket -> refuseBelow(ticket, 99));
        FsException error = assertThrows(FsException.class, () -> read(io));
        assertEquals(Errno.EACCES, error.errno());
        assertTrue(String.valueOf(error.getMessage()).contains("expired"), error.getMessage());
        assertEquals(List.of(1, 2), List.copyOf(shown).subList(0, 2));
        // For three seconds, with a new one each half of a second.
        assertTrue(cluster.shared.tickets < 20, cluster.shared.tickets + " tickets");
    }

    /** The next leader has another clock, and chunk servers hear of it with a heartbeat. */
    @Test
    void aTicketThatIsRefusedAtFirstIsShownAgain() {
        ChunkIo io = connect(true, ticket -> refuseBelow(ticket, shown.size() < 3 ? 99 : 1));
        read(io);
        assertEquals(List.of(1, 2), List.copyOf(shown).subList(0, 2));
        assertEquals(3, shown.size());
    }

    private CompletableFuture<?> stat(ChunkIo io) {
        ClusterMap map = cluster.map();
        PlacementGroup group = map.groupOf(PLACE.layout(), PLACE.index());
        assertNotNull(group);
        PlacementGroup.Member head = group.head();
        assertNotNull(head);
        ChunkServer server = map.serverOfTarget(head.targetId());
        assertNotNull(server);
        return io.statAt(
                server,
                new ChunkAddress(
                        group.id(),
                        group.epoch(),
                        PLACE.oid(),
                        PLACE.index(),
                        PLACE.layout().chunkSizeLog2()));
    }

    @Test
    void whatIsAskedOnceIsAskedWithTheNextTicketToo() {
        ChunkIo io = connect(true, ticket -> refuseBelow(ticket, 2));
        Await.get(stat(io), WAIT_MS);
        assertEquals(List.of(1, 2), List.copyOf(shown));
    }

    @Test
    void whatIsAskedOnceIsNotAskedForLong() {
        ChunkIo io = connect(true, ticket -> refuseBelow(ticket, 99));
        FsException error = assertThrows(FsException.class, () -> Await.get(stat(io), WAIT_MS));
        assertEquals(Errno.BAD_TICKET, error.errno());
        assertEquals(List.of(1, 2), List.copyOf(shown));
    }

    /** A master that answers when the test wants it to. */
    private static final class Asked implements Supplier<CompletableFuture<Reply>> {
        final List<CompletableFuture<Reply>> answers = new ArrayList<>();

        @Override
        public CompletableFuture<Reply> get() {
            CompletableFuture<Reply> answer = new CompletableFuture<>();
            answers.add(answer);
            return answer;
        }

        int count() {
            return answers.size();
        }

        void give(int number) {
            answers.getLast().complete(new Reply.TicketReply(new byte[] {(byte) number}, 600_000));
        }

        void fail() {
            answers.getLast().completeExceptionally(new FsException(Errno.ETIMEDOUT, "no master"));
        }
    }

    private static int shownNow(ChunkTickets tickets) {
        Ticket now = tickets.now();
        return now == null ? -1 : number(now);
    }

    @Test
    void aTicketIsNotShownAfterItsEnd() {
        ManualClock clock = new ManualClock(0);
        Asked master = new Asked();
        ChunkTickets tickets = new ChunkTickets(master, clock);
        assertEquals(-1, shownNow(tickets));
        CompletableFuture<Ticket> first = tickets.get();
        master.give(1);
        assertEquals(1, number(first.join()));
        // A mount that does nothing for ten minutes asks for another one, once.
        clock.advance(600_000);
        assertEquals(-1, shownNow(tickets));
        CompletableFuture<Ticket> second = tickets.get();
        CompletableFuture<Ticket> joined = tickets.get();
        assertEquals(2, master.count());
        master.give(2);
        assertEquals(2, number(second.join()));
        assertEquals(2, number(joined.join()));
        assertEquals(2, shownNow(tickets));
        assertEquals(2, master.count());
    }

    @Test
    void aTicketIsKeptWhenNoMasterGivesTheNextOne() {
        ManualClock clock = new ManualClock(0);
        Asked master = new Asked();
        ChunkTickets tickets = new ChunkTickets(master, clock);
        CompletableFuture<Ticket> first = tickets.fetch();
        master.give(1);
        assertEquals(1, number(first.join()));
        clock.advance(300_000);
        assertEquals(1, shownNow(tickets));
        assertEquals(1, master.count());
        clock.advance(1);
        assertEquals(1, shownNow(tickets));
        assertEquals(2, master.count());
        master.fail();
        clock.advance(4_999);
        assertEquals(1, shownNow(tickets));
        assertEquals(2, master.count());
        clock.advance(1);
        assertEquals(1, shownNow(tickets));
        assertEquals(3, master.count());
        master.give(2);
        assertEquals(2, shownNow(tickets));
    }

    /** A mount that was cut off for long: what it could not do meanwhile is done, however often. */
    @Test
    void aTicketMayExpireAgainWhileTheServersAreAway() {
        ChunkIo io =
                connect(
                        true,
                        ticket -> {
                            if (shown.size() == 2) {
                                throw new FsException(Errno.NOT_READY, "no keys yet");
                            }
                            refuseBelow(ticket, shown.size() < 4 ? 9 : 3);
                        });
        read(io);
        assertEquals(List.of(1, 2, 2, 3), List.copyOf(shown));
    }
}

package io.cairn.master.raft.member;

import io.cairn.cluster.Endpoint;
import io.cairn.master.store.Membership;
import io.cairn.metadata.state.StateHash.Mark;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import java.util.List;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a master to another one that asks it over the port of Raft:
 *
 * <pre>
 * +-------+----+-------------+-------+--------+-----------+----------+----------+
 * | MAGIC | id | incarnation | votes | founds | clusterId | recovery | recovers |
 * |   8   |4+n |      8      |   1   |   1    |     8     |    8     |    1     |
 * +-------+----+-------------+-------+--------+-----------+----------+----------+
 * | term | last | leads | low | joins | client | listIndex |  members  |  hashes   |
 * |  8   |  8   |   1   |  1  |   1   | 4+n, 4 |     8     | list of 3 | list of 2 |
 * +------+------+-------+-----+-------+--------+-----------+-----------+-----------+
 * </pre>
 *
 * The question is the magic number alone.
 *
 * @param incarnation of its process; random
 * @param votes whether it has a vote, see {@link Membership}
 * @param founds whether it was told to found a cluster, or did
 * @param clusterId 0 while it is in none
 * @param recovery the last recovery that it knows, 0 for none
 * @param recovers whether it leads that recovery
 * @param last index of its last log entry, -1 when there is none
 * @param leads whether it leads and has heard a majority
 * @param isLow whether its disk has too little room to lead
 * @param joins whether it was told to join a group that exists
 * @param client where clients reach it
 * @param listIndex the log entry of its list of masters, -1 when it was only told of them
 * @param members all masters as it knows them, by name: name, host and port
 * @param hashes of its state after some of the last entries: index and hash
 */
public record Hello(
        String id,
        long incarnation,
        boolean votes,
        boolean founds,
        long clusterId,
        long recovery,
        boolean recovers,
        long term,
        long last,
        boolean leads,
        boolean isLow,
        boolean joins,
        Endpoint client,
        long listIndex,
        List<Peer> members,
        List<Mark> hashes) {
    private static final long MAGIC = 0x434149524e484149L; // "CAIRNHAI"

    /** The question that it answers. */
    public static ByteString question() {
        return ByteString.copyFrom(new Encoder().i64(MAGIC).toBytes());
    }

    /** Whether bytes are the question. */
    public static boolean isQuestion(ByteString content) {
        return content.equals(question());
    }

    /** Whether it holds nothing of any cluster. */
    public boolean isEmpty() {
        return last < 0 && clusterId == 0;
    }

    /** The stamp of its messages, see {@link Membership#stamp()}. */
    public long stamp() {
        return Membership.stamp(clusterId, recovery);
    }

    /** Its bytes. */
    public ByteString encode() {
        Encoder out = new Encoder().i64(MAGIC).text(id).i64(incarnation).bool(votes).bool(founds);
        out.i64(clusterId)
                .i64(recovery)
                .bool(recovers)
                .i64(term)
                .i64(last)
                .bool(leads)
                .bool(isLow)
                .bool(joins);
        endpoint(out, client);
        out.i64(listIndex);
        out.list(
                members,
                (to, each) -> {
                    to.text(each.id());
                    endpoint(to, each.raft());
                });
        out.list(hashes, (to, each) -> to.i64(each.index()).i64(each.hash()));
        return ByteString.copyFrom(out.toBytes());
    }

    /** Reads an answer; null when it is none. */
    public static @Nullable Hello decode(ByteString content) {
        try {
            Decoder in = new Decoder(content.toByteArray());
            if (in.i64() != MAGIC) {
                return null;
            }
            return new Hello(
                    in.text(),
                    in.i64(),
                    in.bool(),
                    in.bool(),
                    in.i64(),
                    in.i64(),
                    in.bool(),
                    in.i64(),
                    in.i64(),
                    in.bool(),
                    in.bool(),
                    in.bool(),
                    endpoint(in),
                    in.i64(),
                    in.list(each -> new Peer(each.text(), endpoint(each))),
                    in.list(each -> new Mark(each.i64(), each.i64())));
        } catch (MalformedMessageException e) {
            return null;
        }
    }

    /** The names of all masters, as it knows them. */
    public List<String> ids() {
        return members.stream().map(Peer::id).toList();
    }

    private static void endpoint(Encoder out, Endpoint endpoint) {
        out.text(endpoint.host()).i32(endpoint.port());
    }

    private static Endpoint endpoint(Decoder in) {
        return new Endpoint(in.text(), in.i32());
    }
}

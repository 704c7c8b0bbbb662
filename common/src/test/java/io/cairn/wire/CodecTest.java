package io.cairn.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.fs.Name;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.Patch;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.OperationNames;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The encoding in examples: what is written down here never changes. */
class CodecTest {
    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void anEnvelopeIsLaidOutAsDrawn() {
        Envelope envelope = new Envelope(1, 2, 3, 4, new TreeMutation.Unlink(0x11, Name.of("ab")));
        byte[] bytes = envelope.toBytes();
        assertEquals(
                "0000000000000001"
                        + "0000000000000002"
                        + "0000000000000003"
                        + "0000000000000004"
                        + "05"
                        + "0000000000000011"
                        + "026162",
                hex(bytes));
        assertEquals(envelope, Envelope.decode(new Decoder(bytes)));
    }

    @Test
    void anEnvelopeOfALaterVersionTellsIt() {
        TreeMutation unlink = new TreeMutation.Unlink(0x11, Name.of("ab"));
        byte[] first = new Envelope(1, 2, 3, 4, unlink).toBytes();
        Envelope later = new Envelope(2, 1, 2, 3, 4, unlink);
        byte[] bytes = later.toBytes();
        assertEquals("00" + "02" + hex(first).substring(64), hex(bytes).substring(64));
        assertEquals(later, Envelope.decode(new Decoder(bytes)));
        assertEquals(2, Envelope.versionOf(bytes, 0));
        assertEquals(1, Envelope.versionOf(first, 0));
        assertEquals(5, Envelope.codeOf(bytes, 0));
        assertEquals(5, Envelope.codeOf(first, 0));
        assertEquals("unlink", OperationNames.ofMaster(MasterRequest.mutation(later)));
        bytes[Envelope.HEADER_BYTES + 1] = 1;
        assertThrows(MalformedMessageException.class, () -> Envelope.decode(new Decoder(bytes)));
    }

    /** Room to spare would cost a copy of the contents. */
    @Test
    void inlineContentsAreEncodedIntoAnArrayOfTheirLength() {
        Patch first = new Patch(0, new byte[4096]);
        Patch second = new Patch(5000, new byte[] {1, 2, 3});
        for (List<Patch> patches : List.of(List.of(first), List.of(first, second))) {
            for (int version = 1; version <= 2; version++) {
                Mutation write = new ContentMutation.WriteInline(9, 3, patches, 6000, 5);
                Envelope envelope = new Envelope(version, 1, 2, 3, 4, write);
                byte[] bytes = envelope.toBytes();
                assertEquals(bytes.length, envelope.expectedBytes());
                assertEquals(envelope, Envelope.decode(new Decoder(bytes)));
            }
        }
    }

    @Test
    void anEncoderIsUsedAgain() {
        Encoder out = new Encoder(8).i64(7);
        byte[] first = out.copy();
        byte[] second = out.clear().i64(8).copy();
        assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0, 7}, first);
        assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0, 8}, second);
    }

    @Test
    void aViewEndsWhereItsBytesEnd() {
        byte[] bytes = new Encoder().bytes(new byte[] {1, 2}).u8(3).toBytes();
        Decoder in = new Decoder(bytes);
        assertEquals(ByteBuffer.wrap(new byte[] {1, 2}), in.view());
        assertEquals(3, in.u8());
        byte[] tooLong = new Encoder().i32(5).u8(1).toBytes();
        assertThrows(MalformedMessageException.class, () -> new Decoder(tooLong).view());
        byte[] negative = new Encoder().i32(-1).toBytes();
        assertThrows(MalformedMessageException.class, () -> new Decoder(negative).view());
    }

    @Test
    void theLeaderStampsTheTimeIntoTheBytes() {
        Envelope envelope = new Envelope(7, 8, 9, 0, new SessionMutation.CloseSession(5));
        byte[] frame = MasterRequest.mutation(envelope);
        assertEquals(MasterRequest.MUTATION, MasterRequest.of(frame));
        Envelope.stamp(frame, 1, 123_456_789_012L);
        assertEquals(7, Envelope.sessionOf(frame, 1));
        assertEquals(33, Envelope.codeOf(frame, 1));
        Decoder in = new Decoder(frame, 1, frame.length - 1);
        assertEquals(
                new Envelope(7, 8, 9, 123_456_789_012L, new SessionMutation.CloseSession(5)),
                Envelope.decode(in));
    }

    @Test
    void framesToTheMasterBeginWithTheirKind() {
        assertEquals(
                "02" + "0000000000000009" + "02" + "0000000000000001",
                hex(MasterRequest.query(9, new Query.GetInode(1), 1)));
        assertEquals(
                "03" + "03" + "00000001" + "0000000000000002" + "00000003",
                hex(MasterRequest.cluster(new ClusterRequest.MemberSynced(1, 2, 3), 1)));
        assertEquals(
                "04" + "03" + "0000000000000001",
                hex(MasterRequest.push(new Push.Invalidate(1), 1)));
    }

    @Test
    void anUnknownErrorNumberIsAnInputOutputError() {
        byte[] bytes = new Encoder().u8(2).i32(9999).text("new").toBytes();
        Reply.Failure failure = (Reply.Failure) Reply.decode(new Decoder(bytes));
        assertEquals(Errno.EIO, failure.errno());
        assertEquals("new", failure.message());
    }

    @Test
    void primitivesAreRead() {
        byte[] bytes =
                new Encoder(1)
                        .u8(255)
                        .bool(true)
                        .i32(-2)
                        .i64(Long.MIN_VALUE)
                        .bytes(new byte[] {1, 2})
                        .optionalBytes(null)
                        .optionalBytes(new byte[0])
                        .text("\u00e4")
                        .ints(new int[] {1, -1})
                        .longs(new long[] {5})
                        .list(List.of("a", "b"), Encoder::text)
                        .optional(null, Encoder::text)
                        .optional("x", Encoder::text)
                        .toBytes();
        Decoder in = new Decoder(bytes);
        assertEquals(255, in.u8());
        assertEquals(true, in.bool());
        assertEquals(-2, in.i32());
        assertEquals(Long.MIN_VALUE, in.i64());
        assertArrayEquals(new byte[] {1, 2}, in.bytes());
        assertNull(in.optionalBytes());
        assertArrayEquals(new byte[0], in.optionalBytes());
        assertEquals("\u00e4", in.text());
        assertArrayEquals(new int[] {1, -1}, in.ints());
        assertArrayEquals(new long[] {5}, in.longs());
        assertEquals(List.of("a", "b"), in.list(Decoder::text));
        assertNull(in.optional(Decoder::text));
        assertEquals("x", in.optional(Decoder::text));
        assertEquals(0, in.remaining());
        assertEquals(bytes.length, in.position());
    }

    private static void isMalformed(byte[] bytes, Consumer<Decoder> reader) {
        assertThrows(MalformedMessageException.class, () -> reader.accept(new Decoder(bytes)));
    }

    @Test
    void impossibleValuesAreMalformed() {
        isMalformed(new byte[] {2}, Decoder::bool);
        isMalformed(new Encoder().i32(-2).toBytes(), Decoder::bytes);
        isMalformed(new Encoder().i32(-2).toBytes(), Decoder::optionalBytes);
        isMalformed(new Encoder().i32(Integer.MAX_VALUE).toBytes(), Decoder::bytes);
        isMalformed(new Encoder().i32(Integer.MAX_VALUE).toBytes(), Decoder::ints);
        isMalformed(new Encoder().i32(-1).toBytes(), Decoder::longs);
        isMalformed(
                new Encoder().i32(Limits.MAX_LIST + 1).raw(new byte[1 << 18], 0, 1 << 18).toBytes(),
                in -> in.list(Decoder::u8));
        isMalformed(new byte[] {0}, Decoder::name);
        isMalformed(new byte[] {1, '/'}, Decoder::name);
        isMalformed(new byte[] {2, '.', '.'}, Decoder::name);
        isMalformed(new byte[] {7}, in -> in.coded(Reply.LockOutcome.CODES));
        isMalformed(new byte[] {9}, Codecs::fileType);
    }
}

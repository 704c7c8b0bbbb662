package io.cairn.wire.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.net.Message;
import io.cairn.wire.Decoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.TypedMessage;
import io.cairn.wire.chunk.HeadRequest.Relay;
import io.cairn.wire.chunk.HeadRequest.ToTarget;
import org.junit.jupiter.api.Test;

final class ToTargetTest {
    private static final int VERSION = ProtocolRange.FIRST;

    private final ChunkAddress chunk = new ChunkAddress(3, 4, 5, 6, 22);
    private final ChunkRequest request = new ChunkRequest.StatChunk(chunk);

    private static ChunkRequest decoded(byte[] header) {
        return ChunkRequest.decode(new Decoder(header, VERSION));
    }

    @Test
    void aPrefixAddressesAMessageThatIsYetToBeEncoded() {
        Message later = Message.of(request::toBytes).after(ToTarget.prefix(7));
        assertEquals(new ToTarget(7, request), decoded(later.encoded(VERSION).header()));
        Message ready = Message.of(request.toBytes(VERSION)).after(ToTarget.prefix(7));
        assertEquals(new ToTarget(7, request), decoded(ready.encoded(VERSION).header()));
        assertEquals(3, new ToTarget(7, request).group());
    }

    @Test
    void itIsHandedOnOnce() {
        for (TypedMessage each :
                new TypedMessage[] {
                    new ToTarget(7, new ToTarget(8, request)),
                    new ToTarget(7, new Relay(request)),
                    new Relay(new ToTarget(7, request))
                }) {
            byte[] header = each.toBytes(VERSION);
            assertThrows(MalformedMessageException.class, () -> decoded(header));
        }
    }
}

package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A request of the admin API that a master hands on to the leader; the body is the payload of the
 * frame.
 *
 * @param headers those that matter, names in small letters
 * @param remote where the client is, for the audit log
 */
public record AdminForward(
        String method, String path, String query, Map<String, String> headers, String remote) {
    /** The frame, for a reader of this version of the protocol. */
    public byte[] toBytes(int version) {
        Encoder out = Encoder.speaking(version);
        out.u8(MasterRequest.ADMIN.code()).text(method).text(path).text(query);
        encode(out, headers);
        return out.text(remote).toBytes();
    }

    /** Reads the fields behind the kind of the frame. */
    public static AdminForward decode(Decoder in) {
        return new AdminForward(in.text(), in.text(), in.text(), headersIn(in), in.text());
    }

    private static void encode(Encoder out, Map<String, String> headers) {
        List<Map.Entry<String, String>> list = new ArrayList<>(headers.entrySet());
        out.list(list, (o, each) -> o.text(each.getKey()).text(each.getValue()));
    }

    private static Map<String, String> headersIn(Decoder in) {
        Map<String, String> headers = new LinkedHashMap<>();
        in.list(d -> Map.entry(d.text(), d.text()))
                .forEach(e -> headers.put(e.getKey(), e.getValue()));
        return headers;
    }

    /**
     * The leader's answer; the body is the payload.
     *
     * @param status of HTTP
     */
    public record Answer(int status, Map<String, String> headers) {
        /** The bytes, for a reader of this version of the protocol. */
        public byte[] toBytes(int version) {
            Encoder out = Encoder.speaking(version);
            out.i32(status);
            encode(out, headers);
            return out.toBytes();
        }

        /** Reads the bytes. */
        public static Answer decode(Decoder in) {
            return new Answer(in.i32(), headersIn(in));
        }
    }
}

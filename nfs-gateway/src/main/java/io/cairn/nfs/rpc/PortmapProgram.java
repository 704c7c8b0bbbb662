package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The port mapper (RFC 1833): version 2 (3), and of its successors rpcbind 3 and 4 (2) what clients
 * use to find a program. Nobody can register or unregister with it. Thread-safe.
 */
public final class PortmapProgram implements RpcProgram {
    /** The program number. */
    public static final int NUMBER = 100000;

    private static final int PORTMAP = 2;
    private static final int RPCBIND_4 = 4;
    private static final int MAX_TEXT_BYTES = 256;
    private static final String OWNER = "superuser";

    /** The number of the protocol TCP. */
    public static final int TCP = 6;

    /** The number of the protocol UDP. */
    public static final int UDP = 17;

    /**
     * Where a program is.
     *
     * @param program number of the program
     * @param version one version that it serves
     * @param protocol {@link #TCP} or {@link #UDP}
     * @param port its port
     */
    public record Mapping(int program, int version, int protocol, int port) {}

    private final List<Mapping> mappings;

    /** A port mapper that knows these. */
    public PortmapProgram(List<Mapping> mappings) {
        this.mappings = List.copyOf(mappings);
    }

    /** Where the port mapper itself is: all versions and both protocols at one port. */
    public static List<Mapping> itself(int port) {
        List<Mapping> all = new ArrayList<>();
        for (int version = RPCBIND_4; version >= PORTMAP; version--) {
            all.add(new Mapping(NUMBER, version, TCP, port));
            all.add(new Mapping(NUMBER, version, UDP, port));
        }
        return all;
    }

    @Override
    public int number() {
        return NUMBER;
    }

    @Override
    public int lowVersion() {
        return PORTMAP;
    }

    @Override
    public int highVersion() {
        return RPCBIND_4;
    }

    @Override
    public boolean hasProcedure(int version, int procedure) {
        PortmapProcedure found = PortmapProcedure.CODES.find(procedure);
        return found != null && (found != PortmapProcedure.GETVERSADDR || version == RPCBIND_4);
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return 256 + 128 * mappings.size();
    }

    @Override
    public void serve(RpcCall call, XdrReader in, XdrWriter out) {
        if (call.version() > PORTMAP) {
            serveRpcbind(call, in, out);
            return;
        }
        switch (PortmapProcedure.CODES.of(call.procedure())) {
            case SET, UNSET -> out.bool(false);
            case GETPORT -> out.i32(port(in.i32(), in.i32(), in.i32()));
            case DUMP -> dump(out);
            case GETVERSADDR, NULL -> {
                // The port mapper has no such procedure, and the door answers the other one.
            }
        }
    }

    private void serveRpcbind(RpcCall call, XdrReader in, XdrWriter out) {
        switch (PortmapProcedure.CODES.of(call.procedure())) {
            case SET, UNSET -> out.bool(false);
            case GETPORT, GETVERSADDR -> out.opaque(ascii(address(call, in)));
            case DUMP -> dump(call, out);
            case NULL -> {
                // The door answers it.
            }
        }
    }

    /** Where a program is, empty when there is none; GETVERSADDR wants this very version. */
    private String address(RpcCall call, XdrReader in) {
        int program = in.i32();
        int version = in.i32();
        String network = new String(in.opaque(MAX_TEXT_BYTES), StandardCharsets.US_ASCII);
        in.opaque(MAX_TEXT_BYTES);
        in.opaque(MAX_TEXT_BYTES);
        int protocol = UniversalAddress.protocol(network);
        boolean exact = call.procedure() == PortmapProcedure.GETVERSADDR.code();
        boolean served =
                mappings.stream()
                        .anyMatch(
                                mapping ->
                                        mapping.program == program && mapping.version == version);
        int port = exact && !served ? 0 : port(program, version, protocol);
        InetAddress local = UniversalAddress.local(call);
        boolean fits = network.equals(UniversalAddress.network(protocol, local));
        return port == 0 || !fits ? "" : UniversalAddress.of(local, port);
    }

    private void dump(RpcCall call, XdrWriter out) {
        InetAddress local = UniversalAddress.local(call);
        for (Mapping mapping : mappings) {
            out.bool(true).i32(mapping.program).i32(mapping.version);
            out.opaque(ascii(UniversalAddress.network(mapping.protocol, local)));
            out.opaque(ascii(UniversalAddress.of(local, mapping.port))).opaque(ascii(OWNER));
        }
        out.bool(false);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The port of a program; 0 when there is none. Another version of it will do, as is usual. */
    private int port(int program, int version, int protocol) {
        int port = 0;
        for (Mapping mapping : mappings) {
            if (mapping.program == program && mapping.protocol == protocol) {
                if (mapping.version == version) {
                    return mapping.port;
                }
                port = mapping.port;
            }
        }
        return port;
    }

    private void dump(XdrWriter out) {
        for (Mapping mapping : mappings) {
            out.bool(true).i32(mapping.program).i32(mapping.version);
            out.i32(mapping.protocol).i32(mapping.port);
        }
        out.bool(false);
    }
}

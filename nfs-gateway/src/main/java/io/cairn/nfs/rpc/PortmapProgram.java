package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The port mapper (RFC 1833, 3), version 2: tells clients that ask where programs are. Nobody can
 * register or unregister with it. Thread-safe.
 */
public final class PortmapProgram implements RpcProgram {
    /** The program number. */
    public static final int NUMBER = 100000;

    private static final int VERSION = 2;
    private static final int SET = 1;
    private static final int UNSET = 2;
    private static final int GETPORT = 3;
    private static final int DUMP = 4;

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

    /** Where the port mapper itself is: both protocols at one port. */
    public static List<Mapping> itself(int port) {
        return List.of(
                new Mapping(NUMBER, VERSION, TCP, port), new Mapping(NUMBER, VERSION, UDP, port));
    }

    @Override
    public int number() {
        return NUMBER;
    }

    @Override
    public int lowVersion() {
        return VERSION;
    }

    @Override
    public boolean hasProcedure(int version, int procedure) {
        return procedure >= 0 && procedure <= DUMP;
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return 64 + 20 * mappings.size();
    }

    @Override
    public void serve(RpcCall call, XdrReader in, XdrWriter out) {
        switch (call.procedure()) {
            case SET, UNSET -> out.bool(false);
            case GETPORT -> out.i32(port(in.i32(), in.i32(), in.i32()));
            case DUMP -> dump(out);
            default -> throw new IllegalArgumentException("procedure " + call.procedure());
        }
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

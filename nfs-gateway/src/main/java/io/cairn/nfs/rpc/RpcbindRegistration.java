package io.cairn.nfs.rpc;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.nfs.rpc.PortmapProgram.Mapping;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Programs registered with the rpcbind of this machine until closed, with port mapper calls (RFC
 * 1833, 3, version 2) over UDP from a reserved port, which rpcbind wants. A registration that a
 * killed process has left there is replaced; one of a living process is not. Not thread-safe;
 * blocks for some seconds at most.
 */
public final class RpcbindRegistration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RpcbindRegistration.class);
    private static final int VERSION = 2;
    private static final int TRIES = 3;
    private static final int TIMEOUT_MS = 700;
    private static final int MAX_REPLY_BYTES = 1024;
    private static final int REPLY_WORDS_BYTES = 24;
    private static final int FIRST_RESERVED = 700;
    private static final int LAST_RESERVED = 1023;

    private final InetSocketAddress rpcbind;
    private final DatagramSocket socket;
    private final List<Mapping> registered = new ArrayList<>();
    private int xid;

    /**
     * Registers.
     *
     * @param port of rpcbind on this machine, normally 111
     * @param firstXid any number: calls get the following ones, which tell their replies apart
     * @throws FsException ENXIO when no rpcbind answers; EBUSY when a program is registered by
     *     something else; EACCES when rpcbind refuses
     */
    public RpcbindRegistration(int port, List<Mapping> mappings, int firstXid) {
        xid = firstXid;
        InetAddress loopback = InetAddress.getLoopbackAddress();
        rpcbind = new InetSocketAddress(loopback, port);
        try {
            socket = reserved(loopback);
        } catch (SocketException e) {
            throw new FsException(Errno.EACCES, "no UDP socket: " + e.getMessage(), e);
        }
        try {
            for (Mapping mapping : mappings) {
                requireFree(mapping);
            }
            for (Mapping mapping : mappings) {
                register(mapping);
            }
        } catch (FsException e) {
            close();
            throw e;
        }
        LOG.info("{} programs registered with rpcbind", registered.size());
    }

    /** Bound to a reserved port if this process may; else rpcbind says what it thinks of it. */
    private static DatagramSocket reserved(InetAddress loopback) throws SocketException {
        for (int port = LAST_RESERVED; port >= FIRST_RESERVED; port--) {
            try {
                return new DatagramSocket(new InetSocketAddress(loopback, port));
            } catch (SocketException e) {
                LOG.trace("port {}: {}", port, e.getMessage());
            }
        }
        return new DatagramSocket(new InetSocketAddress(loopback, 0));
    }

    private void register(Mapping mapping) {
        // When the first answer was lost, the second SET finds what the first one made.
        if (call(PortmapProcedure.SET, mapping) == 0
                && call(PortmapProcedure.GETPORT, mapping) != mapping.port()) {
            throw new FsException(
                    Errno.EACCES,
                    "rpcbind refuses " + title(mapping) + ": run as root, or rpcbind with -i");
        }
        registered.add(mapping);
    }

    private static String title(Mapping mapping) {
        return "program " + mapping.program() + " version " + mapping.version();
    }

    /** UNSET knows no protocols: so all that is left of others goes before the first SET. */
    private void requireFree(Mapping mapping) {
        int old = call(PortmapProcedure.GETPORT, mapping);
        if (old == 0) {
            return;
        }
        if (old != mapping.port() && isServed(old, mapping)) {
            throw new FsException(
                    Errno.EBUSY,
                    title(mapping)
                            + " is registered with rpcbind on port "
                            + old
                            + "; stop that server");
        }
        call(PortmapProcedure.UNSET, mapping);
    }

    private static boolean isServed(int port, Mapping mapping) {
        if (mapping.protocol() != PortmapProgram.TCP) {
            return false;
        }
        try (Socket probe = new Socket()) {
            probe.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The one number that all these procedures answer with. */
    private int call(PortmapProcedure procedure, Mapping mapping) {
        int id = ++xid;
        ByteBuf out = Unpooled.buffer();
        out.writeInt(id).writeInt(0).writeInt(2).writeInt(PortmapProgram.NUMBER);
        out.writeInt(VERSION).writeInt(procedure.code()).writeLong(0).writeLong(0);
        out.writeInt(mapping.program()).writeInt(mapping.version());
        out.writeInt(mapping.protocol()).writeInt(mapping.port());
        byte[] request = ByteBufUtil.getBytes(out);
        for (int tries = 0; tries < TRIES; tries++) {
            try {
                socket.send(new DatagramPacket(request, request.length, rpcbind));
                Integer answer = receive(id);
                if (answer != null) {
                    return answer;
                }
            } catch (IOException e) {
                LOG.debug("rpcbind: {}", e.getMessage());
            }
        }
        throw new FsException(
                Errno.ENXIO,
                "no rpcbind answers on " + rpcbind + ": start it, or use --portmap instead");
    }

    private @Nullable Integer receive(int id) throws IOException {
        byte[] buffer = new byte[MAX_REPLY_BYTES];
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.receive(packet);
        ByteBuf in = Unpooled.wrappedBuffer(buffer, 0, packet.getLength());
        if (in.readableBytes() < REPLY_WORDS_BYTES || in.readInt() != id || in.readInt() != 1) {
            return null;
        }
        boolean denied = in.readInt() != 0;
        in.skipBytes(8);
        if (denied || in.readInt() != 0 || in.readableBytes() < 4) {
            return 0;
        }
        return in.readInt();
    }

    /** Takes the registrations back. */
    @Override
    public void close() {
        for (Mapping mapping : registered) {
            try {
                call(PortmapProcedure.UNSET, mapping);
            } catch (FsException e) {
                LOG.warn("The registration with rpcbind stays: {}", e.getMessage());
                break;
            }
        }
        registered.clear();
        socket.close();
    }
}

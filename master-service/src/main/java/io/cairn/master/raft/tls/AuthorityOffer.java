package io.cairn.master.raft.tls;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Callee;
import io.cairn.net.Principal.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Hands the key of a new authority to other masters, at the addresses that the group has for them.
 * Nobody can ask for it: who has the key of the former authority could do so in the name of any
 * master. Thread-safe; calls block.
 */
public final class AuthorityOffer implements AutoCloseable {
    private static final long ANSWER_MS = 3_000;

    private final MasterConnections connections;

    /** Calls nobody yet. */
    public AuthorityOffer(SecuredNetwork network) {
        connections = new MasterConnections(network.transport());
    }

    /**
     * Offers it to one of them.
     *
     * @param id its name
     * @param raft where other masters reach it
     * @param secret as {@code CertificateAuthority.secret} makes it
     * @return the fingerprint of the authority that it signs with now
     * @throws IOException when it does not answer, or does not take it yet
     */
    public String offer(String id, Endpoint raft, byte[] secret) throws IOException {
        Callee to = new Callee(raft, Role.MASTER, id);
        byte[] answer = connections.call(to, MessageKind.AUTHORITY, secret, ANSWER_MS).bytes();
        return new String(answer, StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        connections.close();
    }
}

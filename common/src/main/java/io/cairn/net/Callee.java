package io.cairn.net;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Principal.Role;

/**
 * Whom a connection is made to. Where there are certificates, one of another role or name is not
 * spoken to: else a chunk server that has traffic sent to itself could pose as a master.
 *
 * @param endpoint where it listens
 * @param role its role
 * @param name its name within the role; empty when any name will do
 */
public record Callee(Endpoint endpoint, Role role, String name) {
    /** Any master. */
    public static Callee master(Endpoint endpoint) {
        return new Callee(endpoint, Role.MASTER, "");
    }

    /** A chunk server of the cluster map. */
    public static Callee of(ChunkServer server) {
        return new Callee(server.endpoint(), Role.CHUNK, server.name());
    }

    /** Whether this is who answers. */
    public boolean is(Principal principal) {
        return principal.role() == role && (name.isEmpty() || name.equals(principal.name()));
    }

    /** For people, such as {@code chunk c5}. */
    public String who() {
        return name.isEmpty() ? "a " + role.text() : role.text() + " " + name;
    }
}

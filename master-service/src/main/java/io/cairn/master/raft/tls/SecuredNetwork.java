package io.cairn.master.raft.tls;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Refusals;
import io.cairn.net.Transport;

/**
 * What masters with certificates speak to each other over.
 *
 * @param transport with TLS; closed by who made it
 * @param refusals hears of those that are no masters
 * @param keys takes the key of a new authority
 */
public record SecuredNetwork(Transport transport, Refusals refusals, KeyTaker keys) {
    /** Takes keys of authorities that other masters hand over. Thread-safe; may block. */
    @FunctionalInterface
    public interface KeyTaker {
        /**
         * Takes one.
         *
         * @param secret key and certificate, as {@code CertificateAuthority.secret} makes it
         * @return the fingerprint of the authority that this master signs with now
         * @throws FsException NOT_READY when the state here does not name the authority yet
         */
        String take(byte[] secret);
    }

    /** Between masters that take no keys. */
    public SecuredNetwork(Transport transport, Refusals refusals) {
        this(
                transport,
                refusals,
                _ -> {
                    throw new FsException(Errno.NOT_READY, "this master takes no keys");
                });
    }
}

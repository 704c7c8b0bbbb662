package io.cairn.node.identity;

/** Signs requests of this process. */
@FunctionalInterface
public interface CertificateIssuer {
    /**
     * Signs; may block for half a minute.
     *
     * @param request a PKCS #10 request
     * @return the certificate and that of the authority, in PEM
     * @throws io.cairn.base.FsException EACCES when there is none for this process; else when no
     *     master answers
     */
    byte[] sign(byte[] request);

    /**
     * The certificate was kept, and is shown from now on. Masters count who needs which authority.
     * May block as {@link #sign} does, and fails as it does.
     *
     * @param serial its number, hexadecimal
     */
    default void kept(String serial) {}
}

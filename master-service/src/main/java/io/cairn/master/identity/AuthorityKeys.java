package io.cairn.master.identity;

import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import java.util.Set;

/** The keys of authorities that this master has. Thread-safe. */
public interface AuthorityKeys {
    /** The authority that this master signs with. */
    CertificateAuthority held();

    /**
     * Keeps the key of an authority that is not in force yet, durably: the state names it next.
     * Blocks.
     *
     * @param present those that the state names now: a key of them that was kept so is not lost
     * @throws io.cairn.base.FsException EIO when it cannot be kept
     */
    void keepNext(CertificateAuthority next, Authorities present);

    /** The names of other masters that are known to hold the same authority as this one. */
    Set<String> holders();
}

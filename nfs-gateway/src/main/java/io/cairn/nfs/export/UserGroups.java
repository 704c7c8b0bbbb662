package io.cairn.nfs.export;

import io.cairn.nfs.rpc.Credential;

/** In which groups a caller is. Thread-safe; may block for a few seconds. */
@FunctionalInterface
public interface UserGroups {
    /** Believes what the client says, which is 16 groups at most (RFC 5531, appendix A). */
    UserGroups OF_CLIENT = credential -> credential;

    /**
     * The same user with the groups that count.
     *
     * @throws io.cairn.base.FsException ETIMEDOUT when they cannot be found out in time
     */
    Credential complete(Credential credential);
}

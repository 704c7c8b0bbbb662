package io.cairn.cli.doctor;

/** The purpose of a machine; a check that does not concern any of its roles is left out. */
public enum Role {
    /** Runs a master. */
    MASTER,
    /** Runs a chunk server. */
    CHUNK,
    /** Mounts. */
    MOUNT,
    /** Runs an NFS gateway. */
    NFS
}

package io.cairn.cli.doctor;

/** What a machine is for; a check that does not concern any of its roles is left out. */
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

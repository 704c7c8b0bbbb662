package io.cairn.metadata.content;

import io.cairn.cluster.Inode;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.Transaction;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Finds the inodes whose contents lie in certain objects. Reads all inodes until each object is
 * found, because no record leads from an object to its inode: for what is asked seldom. Beside the
 * apply thread, in a state that stands still.
 */
public final class ObjectOwners {
    private ObjectOwners() {}

    /** One inode for each object that has any. */
    public static Map<Long, Long> of(StoredState state, Set<Long> oids) {
        Set<Long> wanted = new HashSet<>(oids);
        Map<Long, Long> owners = new HashMap<>();
        byte[] all = {};
        state.scan(
                Family.INODE,
                all,
                all,
                (_, value) -> {
                    Inode inode = Transaction.decodeInode(value);
                    for (ObjectUses.Use use : ObjectUses.of(inode)) {
                        if (wanted.remove(use.oid())) {
                            owners.put(use.oid(), use.ino());
                        }
                    }
                    return !wanted.isEmpty();
                });
        return owners;
    }
}

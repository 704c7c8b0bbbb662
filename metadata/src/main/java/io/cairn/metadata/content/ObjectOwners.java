package io.cairn.metadata.content;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the inodes whose contents lie in certain objects. Records lead to the files that share an
 * object. None leads from an object to its only file, so all inodes are read until each object is
 * found: for what is asked seldom. Beside the apply thread, in a state that stands still.
 */
public final class ObjectOwners {
    private ObjectOwners() {}

    /**
     * The inodes of each object that has any, {@value SharedObjects#MAX_USERS} at most: more than
     * one where files share it, in the order of their numbers.
     */
    public static Map<Long, List<Long>> of(StoredState state, Set<Long> oids) {
        Map<Long, List<Long>> owners = new HashMap<>();
        Set<Long> wanted = new HashSet<>();
        for (long oid : oids) {
            List<Long> users = users(state, oid);
            if (users.isEmpty()) {
                wanted.add(oid);
            } else {
                owners.put(oid, users);
            }
        }
        byte[] all = {};
        if (!wanted.isEmpty()) {
            state.scan(
                    Family.INODE,
                    all,
                    all,
                    (_, value) -> {
                        for (ObjectUses.Use use : ObjectUses.of(Transaction.decodeInode(value))) {
                            if (wanted.remove(use.oid())) {
                                owners.put(use.oid(), List.of(use.ino()));
                            }
                        }
                        return !wanted.isEmpty();
                    });
        }
        return owners;
    }

    private static List<Long> users(StoredState state, long oid) {
        List<Long> users = new ArrayList<>();
        byte[] prefix = Keys.of(oid);
        state.scan(
                Family.SHARED,
                prefix,
                prefix,
                (key, _) -> {
                    users.add(Keys.numberAt(key, Long.BYTES));
                    return users.size() < SharedObjects.MAX_USERS;
                });
        return users;
    }
}

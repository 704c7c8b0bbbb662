package io.cairn.nfs.v3;

import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.ChangeListener;
import io.cairn.fs.FileWatch;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The effect of one call on attributes, as far as that is known exactly: the source of {@code
 * wcc_data} (RFC 1813, 2.6). Of an inode that is not in here the state before the call is not told,
 * because a client that finds its cached state confirmed believes that nobody else has changed
 * anything. For one thread.
 */
final class Changes implements ChangeListener {
    /** One inode before and after. */
    record Change(AttributeStamp before, Attributes after) {}

    private final Map<Long, Change> changes = new HashMap<>(4);

    /** The user of a target, with this as witness. */
    Caller of(Target target) {
        return target.caller().watchedBy(this);
    }

    @Override
    public void saw(AttributeStamp before, Attributes after) {
        changes.put(before.ino(), new Change(before, after));
    }

    /** Takes over what a watch knows, if it knows anything. */
    void saw(FileWatch watch) {
        AttributeStamp before = watch.before();
        Attributes after = watch.after();
        if (before != null && after != null) {
            saw(before, after);
        }
    }

    /** The change of an inode; null when it cannot be told exactly. */
    @Nullable Change find(long ino) {
        return changes.get(ino);
    }
}

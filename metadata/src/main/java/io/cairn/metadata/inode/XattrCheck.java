package io.cairn.metadata.inode;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.function.Consumer;

/** Checks extended attributes: their inodes are there, and the sums over them are right. */
public final class XattrCheck {
    private static final byte[] ALL = {};

    private final View view;
    private final Consumer<String> violated;
    private final XattrSums attributes = new XattrSums();

    /** The sums over the attributes of one inode, while they are read. */
    private static final class XattrSums {
        private long ino;
        private byte[] head = ALL;
        private int count;
        private final long[] sums = new long[2];
    }

    public XattrCheck(View view, Consumer<String> violated) {
        this.view = view;
        this.violated = violated;
    }

    public void check() {
        view.each(Family.XATTR, this::checkXattr);
        finishXattrs();
    }

    private void checkXattr(byte[] key, byte[] value) {
        long ino = Keys.numberAt(key, 0);
        if (ino != attributes.ino) {
            finishXattrs();
            attributes.ino = ino;
        }
        if (key.length == Long.BYTES) {
            attributes.head = value;
        } else {
            attributes.count++;
            attributes.sums[0] += key.length - Long.BYTES + 1;
            attributes.sums[1] += XattrTable.valueOf(value).length;
        }
    }

    private void finishXattrs() {
        if (attributes.ino == 0) {
            return;
        }
        byte[] head = attributes.head.length == 0 ? null : attributes.head;
        String wrong = XattrTable.violation(head, attributes.count, attributes.sums);
        if (wrong != null) {
            violated.accept("I11 attributes of inode " + attributes.ino + ": " + wrong);
        }
        if (view.inode(attributes.ino) == null) {
            violated.accept("I11 attributes of inode " + attributes.ino + ", which is gone");
        }
        attributes.head = ALL;
        attributes.count = 0;
        attributes.sums[0] = 0;
        attributes.sums[1] = 0;
    }
}

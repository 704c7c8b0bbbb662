package io.cairn.fuse.sys;

import java.util.List;

/** The form in which listxattr(2) gives names. */
public final class Xattrs {
    private Xattrs() {}

    /** All names, a NUL after each. */
    public static byte[] join(List<byte[]> names) {
        int length = 0;
        for (byte[] name : names) {
            length += name.length + 1;
        }
        byte[] joined = new byte[length];
        int at = 0;
        for (byte[] name : names) {
            System.arraycopy(name, 0, joined, at, name.length);
            at += name.length + 1;
        }
        return joined;
    }
}

package io.cairn.fs;

import org.jspecify.annotations.Nullable;

/**
 * The access control lists of an inode. Immutable.
 *
 * @param access refines the permission bits; null when they say all
 * @param inherited directories: what is made in it gets this; null when there is none
 */
public record Acls(@Nullable Acl access, @Nullable Acl inherited) {
    /** None, as nearly every inode has. */
    public static final Acls NONE = new Acls(null, null);

    /** The same with another access list; one that says no more than a mode is dropped. */
    public Acls withAccess(@Nullable Acl acl) {
        return of(acl == null || acl.isMode() ? null : acl, inherited);
    }

    /** The same with another list to inherit. */
    public Acls withInherited(@Nullable Acl acl) {
        return of(access, acl);
    }

    /** The same after chmod(2). */
    public Acls withMode(int mode) {
        return access == null ? this : of(access.withMode(mode), inherited);
    }

    private static Acls of(@Nullable Acl access, @Nullable Acl inherited) {
        return access == null && inherited == null ? NONE : new Acls(access, inherited);
    }
}

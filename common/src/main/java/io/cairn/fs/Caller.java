package io.cairn.fs;

import org.jspecify.annotations.Nullable;

/**
 * On whose behalf an operation runs.
 *
 * @param uid effective user
 * @param gid effective group; the group of new files unless the directory is setgid
 * @param groups supplementary groups, not changed after construction
 * @param checked true when somebody trusted (the kernel, with {@code default_permissions}) has
 *     already checked the permissions, so that they are not checked again
 * @param witness hears what operations did to attributes; null for nobody, which costs nothing
 */
public record Caller(
        int uid, int gid, int[] groups, boolean checked, @Nullable ChangeListener witness) {
    private static final int[] NO_GROUPS = {};

    /** The superuser. */
    public static final Caller ROOT = new Caller(0, 0, NO_GROUPS, false);

    /** Nobody hears what is done. */
    public Caller(int uid, int gid, int[] groups, boolean checked) {
        this(uid, gid, groups, checked, null);
    }

    /** A user without supplementary groups, to be checked. */
    public static Caller of(int uid, int gid, int... groups) {
        return new Caller(uid, gid, groups, false);
    }

    /** A user whose permissions the kernel has checked. */
    public static Caller checkedByKernel(int uid, int gid) {
        return new Caller(uid, gid, NO_GROUPS, true);
    }

    /** The same, with a listener that hears exactly what operations did. */
    public Caller watchedBy(ChangeListener who) {
        return new Caller(uid, gid, groups, checked, who);
    }

    /** Whether the caller is in a group, by its effective or a supplementary group. */
    public boolean isInGroup(int group) {
        if (gid == group) {
            return true;
        }
        for (int g : groups) {
            if (g == group) {
                return true;
            }
        }
        return false;
    }
}

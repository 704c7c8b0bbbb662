package io.cairn.master.access;

/**
 * Whose user numbers are replaced, and by which.
 *
 * @param kind whose
 * @param uid by this user
 * @param gid and this group
 */
public record UserMapping(Kind kind, int uid, int gid) {
    /** Everybody is who he says. */
    public static final UserMapping NONE = new UserMapping(Kind.NONE, 0, 0);

    /** Whose user numbers are not believed. */
    public enum Kind {
        NONE,
        /** Root is another user; whoever is root of a machine can be any of its other users. */
        ROOT,
        /** Everybody is the same user. */
        ALL
    }

    /** Whether somebody is not whom he says: else nothing needs to be checked. */
    boolean isNeeded() {
        return kind != Kind.NONE && uid != 0;
    }

    int mapUid(int said) {
        return replaces(said) ? uid : said;
    }

    int mapGid(int said) {
        return replaces(said) ? gid : said;
    }

    private boolean replaces(int said) {
        return kind == Kind.ALL || (kind == Kind.ROOT && said == 0);
    }

    /** The option in a rule; empty for none. */
    String text() {
        return switch (kind) {
            case NONE -> "";
            case ROOT -> "maproot=" + numbers();
            case ALL -> "mapall=" + numbers();
        };
    }

    private String numbers() {
        return Integer.toUnsignedString(uid) + ":" + Integer.toUnsignedString(gid);
    }

    /**
     * Parses {@code UID[:GID]}; without a group it has the number of the user.
     *
     * @throws IllegalArgumentException with a sentence that names the text
     */
    static UserMapping parse(Kind kind, String text) {
        int colon = text.indexOf(':');
        int uid = number(text, colon < 0 ? text : text.substring(0, colon));
        return new UserMapping(
                kind, uid, colon < 0 ? uid : number(text, text.substring(colon + 1)));
    }

    private static int number(String text, String number) {
        try {
            int parsed = Integer.parseUnsignedInt(number);
            if (parsed != -1) {
                return parsed;
            }
        } catch (NumberFormatException e) {
            // Falls through to the one message for both.
        }
        throw new IllegalArgumentException(
                "'" + text + "' is not UID or UID:GID in numbers, as 65534:65534");
    }
}

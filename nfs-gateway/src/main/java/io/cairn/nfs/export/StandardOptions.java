package io.cairn.nfs.export;

import java.util.Arrays;
import java.util.Set;

/**
 * Options of exports(5) that mean something to other servers. Those are accepted that this one
 * keeps as it is, or that are about what it does not have; the others are refused with the reason,
 * so that nobody relies on them.
 */
final class StandardOptions {
    /**
     * Writes are stored before they are answered, whatever is asked ({@code async}, {@code
     * wdelay}); there is one filesystem, whose handles are good for ever ({@code hide}, {@code
     * crossmnt}, {@code subtree_check}, {@code fsid}); locks need no user.
     */
    private static final Set<String> HARMLESS =
            Set.of(
                    "sync",
                    "async",
                    "wdelay",
                    "no_wdelay",
                    "hide",
                    "nohide",
                    "crossmnt",
                    "nocrossmnt",
                    "subtree_check",
                    "no_subtree_check",
                    "secure_locks",
                    "insecure_locks",
                    "auth_nlm",
                    "no_auth_nlm",
                    "acl",
                    "pnfs",
                    "no_pnfs",
                    "nordirplus");

    private StandardOptions() {}

    /**
     * Whether an option is known and changes nothing.
     *
     * @throws IllegalArgumentException when it is known and cannot be kept
     */
    static boolean isHarmless(String option) {
        int equals = option.indexOf('=');
        String name = equals < 0 ? option : option.substring(0, equals);
        String value = equals < 0 ? "" : option.substring(equals + 1);
        return switch (name) {
            case "sec" -> {
                if (!Arrays.asList(value.split(":", -1)).contains("sys")) {
                    throw refused(option, "there is sec=sys only");
                }
                yield true;
            }
            case "xprtsec" -> {
                if (!Arrays.asList(value.split(":", -1)).contains("none")) {
                    throw refused(option, "there is no TLS for NFS");
                }
                yield true;
            }
            case "no_acl" -> throw refused(option, "access control lists are always enforced");
            case "mp", "mountpoint" ->
                    throw refused(option, "there is no mountpoint that could be missing");
            case "refer", "replicas" -> throw refused(option, "nobody is sent to other servers");
            case "security_label" -> throw refused(option, "NFS version 3 has no labels");
            case "fsid", "ttl" -> true;
            default -> HARMLESS.contains(option);
        };
    }

    private static IllegalArgumentException refused(String option, String why) {
        return new IllegalArgumentException(
                "the export option '" + option + "' cannot be kept: " + why + "; leave it out");
    }
}

package io.cairn.nfs.rpc;

import java.util.Arrays;

/**
 * The caller, as the client says (RFC 5531, 8.1 and appendix A). Immutable.
 *
 * @param known whether it names a user (AUTH_SYS); otherwise (AUTH_NONE) the rest is 0 or empty
 * @param uid user, an unsigned number
 * @param gid group, an unsigned number
 * @param groups supplementary groups, at most 16
 */
public record Credential(boolean known, int uid, int gid, int[] groups) {
    /** Nobody in particular: AUTH_NONE. */
    public static final Credential NONE = new Credential(false, 0, 0, new int[0]);

    static final int AUTH_NONE = 0;
    static final int AUTH_SYS = 1;
    private static final int MAX_BODY_BYTES = 400;
    private static final int MAX_MACHINE_BYTES = 255;
    private static final int MAX_GROUPS = 16;

    /** Another user with the same form. */
    public static Credential sys(int uid, int gid, int... groups) {
        return new Credential(true, uid, gid, groups);
    }

    /**
     * Reads credential and verifier of a call. NULL is answered whoever asks, if both are whole.
     *
     * @param matters whether it has to be of a flavor that is served
     * @throws RpcDenied AUTH_BADCRED or AUTH_BADVERF for a malformed one, AUTH_REJECTEDCRED for
     *     another flavor
     */
    static Credential ofCall(XdrReader in, boolean matters) {
        int flavor = in.i32();
        XdrReader body = body(in, RpcDenied.AUTH_BADCRED);
        Credential credential = matters || flavor == AUTH_SYS ? decode(flavor, body) : NONE;
        skipVerifier(in);
        return credential;
    }

    private static Credential decode(int flavor, XdrReader body) {
        return switch (flavor) {
            case AUTH_NONE -> NONE;
            case AUTH_SYS -> decodeSys(body);
            default -> throw new RpcDenied(RpcDenied.AUTH_REJECTEDCRED, "flavor " + flavor);
        };
    }

    /** Reads a verifier, whose contents do not matter to these flavors. */
    private static void skipVerifier(XdrReader in) {
        in.i32();
        body(in, RpcDenied.AUTH_BADVERF);
    }

    private static XdrReader body(XdrReader in, int problem) {
        try {
            return new XdrReader(in.slice(MAX_BODY_BYTES));
        } catch (XdrException e) {
            throw new RpcDenied(problem, String.valueOf(e.getMessage()));
        }
    }

    private static Credential decodeSys(XdrReader body) {
        try {
            body.i32();
            body.opaque(MAX_MACHINE_BYTES);
            int uid = body.i32();
            int gid = body.i32();
            int count = body.choice(MAX_GROUPS);
            int[] groups = new int[count];
            for (int i = 0; i < count; i++) {
                groups[i] = body.i32();
            }
            return new Credential(true, uid, gid, groups);
        } catch (XdrException e) {
            throw new RpcDenied(RpcDenied.AUTH_BADCRED, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public String toString() {
        return known ? "uid " + uid + " gid " + gid + " " + Arrays.toString(groups) : "nobody";
    }
}

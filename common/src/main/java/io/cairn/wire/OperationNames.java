package io.cairn.wire;

/**
 * The names of requests for people and for metrics, from their first bytes and without decoding
 * them. A fixed set, whatever a peer sends: what is not known is {@code other}.
 */
public final class OperationNames {
    private static final String OTHER = "other";

    private OperationNames() {}

    /** The name of a request to a master, such as {@code lookup}. */
    public static String ofMaster(byte[] frame) {
        if (frame.length < 2) {
            return OTHER;
        }
        return switch (frame[0]) {
            case MasterRequest.MUTATION -> ofMutation(frame);
            case MasterRequest.QUERY -> frame.length < 10 ? OTHER : ofQuery(frame[9]);
            case MasterRequest.CLUSTER -> ofCluster(frame[1]);
            case MasterRequest.ADMIN -> "admin";
            default -> OTHER;
        };
    }

    private static String ofMutation(byte[] frame) {
        return frame.length <= 1 + Envelope.HEADER_BYTES
                ? OTHER
                : ofMutation(Envelope.codeOf(frame, 1));
    }

    static String ofMutation(int code) {
        return switch (code) {
            case 1 -> "create";
            case 2 -> "mkdir";
            case 3 -> "symlink";
            case 4 -> "link";
            case 5 -> "unlink";
            case 6 -> "rmdir";
            case 7 -> "rename";
            case 8 -> "set_attributes";
            case 9 -> "write_inline";
            case 10 -> "commit_size";
            case 11 -> "spill";
            case 12 -> "clone_done";
            case 13 -> "set_xattr";
            case 14 -> "remove_xattr";
            case 15 -> "set_lock";
            case 16 -> "cancel_lock";
            case 17 -> "release_locks";
            case 18 -> "set_policy";
            case 19 -> "swap_contents";
            case 20 -> "renew_tail";
            case 21 -> "witnessed";
            case 22 -> "replace_xattr";
            case 27 -> "create_unnamed";
            case 32 -> "open_session";
            case 33 -> "close_session";
            case 34 -> "purge";
            case 35 -> "collected";
            case 36 -> "change_map";
            case 37 -> "found";
            case 38 -> "doubt_objects";
            case 39 -> "change_records";
            case 40 -> "change_settings";
            case 41 -> "lose_session";
            case 42 -> "renew_objects";
            case 43 -> "raise_level";
            case 48 -> "set_host_lock";
            case 49 -> "cancel_host_lock";
            case 50 -> "release_host";
            case 51 -> "take_notify_state";
            case 64 -> "submit";
            case 65 -> "control";
            case 66 -> "step";
            case 67 -> "edit_inode";
            default -> OTHER;
        };
    }

    static String ofQuery(int code) {
        return switch (code) {
            case 1 -> "lookup";
            case 2 -> "get_inode";
            case 3 -> "read_directory";
            case 4 -> "get_xattr";
            case 5 -> "list_xattr";
            case 6 -> "test_lock";
            case 7 -> "get_usage";
            case 8 -> "get_map";
            case 9 -> "open";
            case 10 -> "release";
            case 11 -> "keep_alive";
            case 12 -> "get_status";
            case 13 -> "get_path";
            case 14 -> "check_tail";
            case 32 -> "test_host_lock";
            case 33 -> "list_hosts";
            case 34 -> "hold_still";
            default -> OTHER;
        };
    }

    static String ofCluster(int code) {
        return switch (code) {
            case 1 -> "heartbeat";
            case 2 -> "member_failed";
            case 3 -> "member_synced";
            case 4 -> "master_present";
            default -> OTHER;
        };
    }

    /** The name of a request to a chunk server, such as {@code read}. */
    public static String ofChunk(byte[] header) {
        return header.length == 0 ? OTHER : ofChunk(header[0]);
    }

    static String ofChunk(int code) {
        return switch (code) {
            case 1 -> "write";
            case 2 -> "replicate";
            case 3 -> "read";
            case 4 -> "flush";
            case 5 -> "zero";
            case 6 -> "clone";
            case 7 -> "stat_chunk";
            case 8 -> "seek_chunk";
            case 9 -> "list_chunks";
            case 10 -> "install";
            case 11 -> "discard";
            case 12 -> "report_bad";
            case 13 -> "fetch";
            case 14 -> "verify";
            case 15 -> "expect";
            case 16 -> "find_chunks";
            default -> OTHER;
        };
    }
}

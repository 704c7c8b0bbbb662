package io.cairn.master.access;

import io.cairn.base.Spelling;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a mount does to the tree, by the words in which rules deny it. */
public enum Operation {
    /** New regular files. */
    CREATE,
    /** Devices, sockets and FIFOs. */
    MKNOD,
    MKDIR,
    SYMLINK,
    /** Hard links. */
    LINK,
    UNLINK,
    RMDIR,
    RENAME,
    /** Permission bits and access control lists. */
    CHMOD,
    /** Owner and group. */
    CHOWN,
    /** Times that somebody sets. */
    UTIMES,
    /** The size of a file. */
    TRUNCATE,
    /** The contents of files. */
    WRITE,
    /** Extended attributes, but for access control lists. */
    XATTR,
    /** Locks of files. */
    LOCK,
    /** Copies, chunk size and stripe of a file or directory. */
    POLICY;

    /** The word in rules, in small letters. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All words, in order. */
    public static List<String> words() {
        return Arrays.stream(values()).map(Operation::word).toList();
    }

    /**
     * The operation of a word.
     *
     * @throws IllegalArgumentException with a sentence that names the word and all there are
     */
    public static Operation of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "there is no operation '%s'.%s There are %s"
                                                .formatted(
                                                        word,
                                                        Spelling.hint(words(), word),
                                                        String.join(", ", words()))));
    }
}

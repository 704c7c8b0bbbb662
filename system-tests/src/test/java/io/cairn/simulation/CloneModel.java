package io.cairn.simulation;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A clone or a copy of a file that somebody asked for. It has what was acknowledged of its source
 * before, and nothing that was begun after it could be found. Nobody writes it until somebody has
 * read it: from then on it is a file as others are.
 */
final class CloneModel {
    private static final int UNKNOWN = -1;

    /** With the directory in front of it, if that is another one than of most files. */
    final String name;

    final FileModel source;
    private final FileModel past;
    private final int since;
    private int until;
    private long directory;
    private long ino;
    private boolean isCopy;
    private boolean promised;
    private boolean read;
    private boolean synced;
    private boolean exposed;

    /** It is asked for now. */
    CloneModel(String name, FileModel source) {
        this.name = name;
        this.source = source;
        this.since = source.acknowledged();
        this.until = UNKNOWN;
        this.past = source.past(name, since, source.all());
    }

    /**
     * Of a file as it was.
     *
     * @param since so many changes are surely in it
     * @param until so many may be in it
     */
    CloneModel(String name, FileModel source, int since, int until) {
        this.name = name;
        this.source = source;
        this.since = since;
        this.until = until;
        this.past = source.past(name, since, until);
    }

    /** The name in its directory. */
    String leaf() {
        return name.substring(name.indexOf('/') + 1);
    }

    /** A copy that is begun now: on stable media when it is synced itself. */
    static CloneModel copy(String name, FileModel source) {
        CloneModel copy = new CloneModel(name, source);
        copy.isCopy = true;
        copy.past.copied();
        return copy;
    }

    /** Whether a client makes it: its name is there before its contents are. */
    boolean isCopy() {
        return isCopy;
    }

    /** What its source gets from now on cannot be in it. */
    void taken() {
        if (until == UNKNOWN) {
            past.catchUp(source);
            until = past.all();
        }
    }

    /** It is there, in a directory. */
    void live(long newDirectory, long newIno) {
        taken();
        directory = newDirectory;
        ino = newIno;
    }

    boolean isLive() {
        return ino != 0;
    }

    /** Whoever asked for it has the answer that it is there. */
    void promise() {
        promised = true;
    }

    boolean isPromised() {
        return promised;
    }

    long directory() {
        return directory;
    }

    long ino() {
        return ino;
    }

    /** What it has is on stable media, unless it was lost before. */
    void synced() {
        synced = !exposed;
        if (synced) {
            past.stored();
        }
    }

    /** All servers that have it lost their power. */
    void exposed() {
        exposed = true;
        past.exposed();
    }

    /** Whether somebody has read it: then others may write it. */
    boolean isRead() {
        return read;
    }

    /** Why contents cannot be those of it, or null when they can. */
    @Nullable String mismatch(ByteBuffer contents) {
        String mismatch = past.mismatch(contents, since, until, true);
        return mismatch == null ? null : "clone of " + source.name + ": " + mismatch;
    }

    /**
     * Its contents were read and are right: the file that it is from now on.
     *
     * @param mayFade whether power was lost that had written bytes which were never synced
     */
    FileModel read(ByteBuffer contents, boolean mayFade) {
        read = true;
        return past.known(ino, contents, synced, mayFade);
    }
}

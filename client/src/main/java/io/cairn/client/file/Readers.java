package io.cairn.client.file;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Those who read one inode ahead, and have to forget what is changed. Guarded by the monitor of the
 * inode, except that anybody may add one.
 */
public final class Readers {
    private final List<ReadAhead> readers = new CopyOnWriteArrayList<>();

    void add(ReadAhead reader) {
        readers.add(reader);
    }

    void remove(ReadAhead reader) {
        readers.remove(reader);
        reader.forget(0, Long.MAX_VALUE);
    }

    /** A range of the file is not what it was. */
    public void forget(long from, long to) {
        for (ReadAhead reader : readers) {
            reader.forget(from, to);
        }
    }
}

package io.cairn.fs;

import org.jspecify.annotations.Nullable;

/**
 * Looks whether a file is changed by its own client only; see {@link OpenFile#watch}. For one
 * thread.
 */
public interface FileWatch extends AutoCloseable {
    /** Knows nothing. */
    FileWatch BLIND =
            new FileWatch() {
                @Override
                public @Nullable AttributeStamp before() {
                    return null;
                }

                @Override
                public @Nullable Attributes after() {
                    return null;
                }

                @Override
                public void close() {}
            };

    /** The file when the watch began, with what was buffered then; null when it is not known. */
    @Nullable AttributeStamp before();

    /**
     * The file now, if something was committed since the watch began, nothing is buffered, and
     * nobody but this client has changed the file in between; else null.
     */
    @Nullable Attributes after();

    @Override
    void close();
}

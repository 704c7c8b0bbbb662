package io.cairn.runtime;

import java.util.List;

/** Settings that cannot be used. The message names each problem with its place and the remedy. */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** All problems, one sentence each. */
    public SettingsException(List<String> problems) {
        super(String.join("; ", problems), null, false, false);
    }
}

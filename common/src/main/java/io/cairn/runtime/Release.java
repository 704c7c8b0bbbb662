package io.cairn.runtime;

/** Which release this is. */
public final class Release {
    private Release() {}

    /** Its number, from the jar. */
    public static String text() {
        String version = Release.class.getPackage().getImplementationVersion();
        return version == null ? "(from class files)" : version;
    }
}

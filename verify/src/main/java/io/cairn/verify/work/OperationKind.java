package io.cairn.verify.work;

/** Kinds of operations whose stalls are told apart. */
public enum OperationKind {
    READ("reads"),
    WRITE("writes"),
    NAME("names");

    private final String text;

    OperationKind(String text) {
        this.text = text;
    }

    /** In the plural, for reports. */
    public String text() {
        return text;
    }
}

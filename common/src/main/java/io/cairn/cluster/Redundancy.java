package io.cairn.cluster;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;

/**
 * How a pool keeps chunks against the loss of disks. The code of the kind comes first wherever a
 * pool is encoded, so that other kinds can follow: the compiler then asks each switch over them.
 */
public sealed interface Redundancy {
    /** The kind of redundancy. */
    Kind kind();

    /** The kinds. Codes 2 (stripes with parity) and 3 (a bucket elsewhere) are set aside. */
    enum Kind implements Coded {
        COPIES(1);

        /** All by their codes. */
        public static final CodeTable<Kind> CODES = new CodeTable<>(values());

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /**
     * Every chunk in full on as many targets.
     *
     * @param number 1..15
     */
    record Copies(int number) implements Redundancy {
        @Override
        public Kind kind() {
            return Kind.COPIES;
        }
    }
}

package io.cairn.fs;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import org.jspecify.annotations.Nullable;

/**
 * The type of an inode. Codes are part of the wire and disk formats; bits are those of {@code
 * st_mode}.
 */
public enum FileType implements Coded {
    FILE(1, 0100000),
    DIRECTORY(2, 0040000),
    SYMLINK(3, 0120000),
    FIFO(4, 0010000),
    SOCKET(5, 0140000),
    CHARACTER_DEVICE(6, 0020000),
    BLOCK_DEVICE(7, 0060000);

    /** The mask of the type bits in {@code st_mode} (S_IFMT). */
    public static final int MODE_MASK = 0170000;

    /** All by their codes. */
    public static final CodeTable<FileType> CODES = new CodeTable<>(values());

    private final int code;
    private final int modeBits;

    FileType(int code, int modeBits) {
        this.code = code;
        this.modeBits = modeBits;
    }

    /** The code in wire and disk formats, 1..7. */
    @Override
    public int code() {
        return code;
    }

    /** The S_IFxxx bits. */
    public int modeBits() {
        return modeBits;
    }

    /** The DT_xxx value of {@code struct dirent}. */
    public int direntType() {
        return modeBits >> 12;
    }

    /** The type for the type bits of a mode, or null when there is none. */
    public static @Nullable FileType ofMode(int mode) {
        for (FileType type : values()) {
            if (type.modeBits == (mode & MODE_MASK)) {
                return type;
            }
        }
        return null;
    }
}

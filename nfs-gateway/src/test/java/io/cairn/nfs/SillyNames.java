package io.cairn.nfs;

import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client does so that an open file outlives its name, which NFS version 3 does not know: it
 * gives the file another name before it takes the last one away, and removes that at the last
 * close. Thread-safe.
 */
final class SillyNames {
    private final NfsFileSystem fs;
    private final Map<Long, Integer> opens = new HashMap<>();
    private final Map<Long, String> names = new HashMap<>();
    private int last;

    SillyNames(NfsFileSystem fs) {
        this.fs = fs;
    }

    synchronized void opened(long ino) {
        opens.merge(ino, 1, Integer::sum);
    }

    synchronized void closed(long ino) {
        if (opens.merge(ino, -1, Integer::sum) > 0) {
            return;
        }
        opens.remove(ino);
        unkeep(names.remove(ino));
    }

    /** Before a name goes: keeps its file if it is open here. The name given, or null. */
    synchronized @Nullable String keep(long parentIno, Name name) {
        Attributes found;
        try {
            found = fs.lookup(Caller.ROOT, parentIno, name);
        } catch (FsException e) {
            return null;
        }
        long ino = found.ino();
        if (!opens.containsKey(ino) || names.containsKey(ino)) {
            return null;
        }
        String silly = ".nfs-" + ++last;
        fs.link(Caller.ROOT, ino, FileSystem.ROOT_INO, Name.of(silly));
        names.put(ino, silly);
        return silly;
    }

    /** The name was not needed, or no longer is. */
    synchronized void unkeep(@Nullable String silly) {
        if (silly != null) {
            names.values().remove(silly);
            fs.ask(
                    Caller.ROOT,
                    client -> {
                        client.remove(fs.handle(FileSystem.ROOT_INO), silly);
                        return true;
                    });
        }
    }
}

package io.cairn.cli.fs;

import io.cairn.cli.option.IdentityOptions;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.tree.PathWalker;
import io.cairn.fs.Caller;
import io.cairn.node.Closing;
import io.cairn.node.Loopback;
import io.cairn.node.MountNode;
import io.cairn.node.ProcessContext;
import io.cairn.node.log.LogLevels;
import java.nio.file.Path;

/** A client for one {@code cairn fs} command, with the path that the command is about. */
final class FsSession implements AutoCloseable {
    private final Closing closing = new Closing();
    private final CairnFileSystem files;
    private final MountedPath path;
    private final PathWalker walker;

    /** Finds the cluster that a path is on and connects. */
    FsSession(Path given) {
        LogLevels.showWarningsOnly();
        path = MountedPath.of(given);
        try {
            ProcessContext world = closing.add(IdentityOptions.worldOfCommand());
            String name = Loopback.machineName() + " cairn fs " + ProcessHandle.current().pid();
            files = closing.add(MountNode.connect(world, path.source(), name));
            walker = new PathWalker(files, Caller.ROOT);
        } catch (RuntimeException e) {
            closing.close();
            throw e;
        }
    }

    CairnFileSystem files() {
        return files;
    }

    /** The inode that the path names, a symbolic link itself; the name and directory with it. */
    PathWalker.Place place() {
        return walker.locate(path.bytes(), false);
    }

    @Override
    public void close() {
        closing.close();
    }
}

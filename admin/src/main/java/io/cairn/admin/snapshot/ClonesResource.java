package io.cairn.admin.snapshot;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.resource.TreePath;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.master.MasterService;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** {@code /clones}: new files and trees with the contents of others, which share their chunks. */
public final class ClonesResource implements Resource {
    private static final Shape CLONE =
            Shape.fields(
                    Field.of("source", Shape.text(), "The path of what is cloned."),
                    Field.of("target", Shape.text(), "The path of the clone."),
                    Field.maybe("ino", Shape.text(), "The inode number of a file, decimal."),
                    Field.maybe("sizeBytes", Shape.count(), "The size of a file."),
                    Field.maybe("job", Shape.text(), "The job that clones a directory."));

    private final MasterService master;
    private final TreeClones trees;

    /** The clones of a master that leads. */
    public ClonesResource(MasterService master, RandomGenerator random) {
        this.master = master;
        trees = new TreeClones(master, random);
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("POST", "/clones", Role.ADMIN, "Clones a file, or a directory as a job.")
                        .takes(
                                Field.of(
                                        "source",
                                        Shape.text(),
                                        "A regular file or a directory, perhaps in a snapshot."),
                                Field.of(
                                        "target",
                                        Shape.text(),
                                        "A path where nothing is, in a directory that exists."),
                                Field.maybe(
                                        "maxPerSecond",
                                        Shape.whole(1, JobOrder.MAX_PER_SECOND),
                                        "Names a second, for a directory; 2000 unless told."))
                        .answers(CLONE)
                        .changes(this::make));
    }

    private Plan make(Call call) {
        TreePath source = TreePath.find(master.namespace(), path(call, "source"));
        FileType type = source.inode().attributes().type();
        if (type != FileType.FILE && type != FileType.DIRECTORY) {
            throw Problem.invalid(
                    "source",
                    "'%s' is neither a regular file nor a directory: it cannot be cloned."
                            .formatted(source.text()));
        }
        Target target = target(path(call, "target"));
        if (type == FileType.DIRECTORY) {
            return trees.plan(call, source, target);
        }
        Plan plan =
                new Plan(
                        () -> {
                            await(
                                    master.snapshots()
                                            .cloneFile(
                                                    source.inode().ino(),
                                                    target.parent.inode().ino(),
                                                    target.name));
                            return Outcome.created(
                                    document(source, target), "/files" + target.text());
                        });
        return plan.change("clone of " + source.text(), null, target.text());
    }

    /** A name that is free in a directory. */
    record Target(TreePath parent, Name name) {
        /** The path, for people. */
        String text() {
            return (parent.text().equals("/") ? "" : parent.text()) + "/" + name;
        }
    }

    private Target target(byte[] path) {
        String text = TreePath.text(path);
        int slash = text.stripTrailing().lastIndexOf('/');
        if (!text.startsWith("/") || slash == text.length() - 1) {
            throw Problem.invalid(
                    "target", "'%s' is no path of a file, which begins with '/'.".formatted(text));
        }
        byte[] directory = text.substring(0, slash + 1).getBytes(StandardCharsets.UTF_8);
        TreePath parent = TreePath.find(master.namespace(), directory);
        long ino = parent.inode().ino();
        if (PastInode.isPast(ino) || TrashPlace.isDirectory(ino)) {
            throw Problem.invalid(
                    "target",
                    "'%s' is in %s, where nothing can be made."
                            .formatted(text, PastInode.isPast(ino) ? "a snapshot" : "the trash"));
        }
        if (!parent.inode().attributes().isDirectory()) {
            throw Problem.invalid("target", "'%s' is not a directory.".formatted(parent.text()));
        }
        Target target = new Target(parent, name(text.substring(slash + 1)));
        Reply found = master.namespace().read(0, new Query.Lookup(ino, target.name));
        if (found instanceof Reply.EntryReply) {
            throw Problem.conflict(
                    "'%s' exists already: remove it, or take another path.".formatted(text));
        }
        return target;
    }

    private static byte[] path(Call call, String field) {
        return String.valueOf(call.bodyText(field)).getBytes(StandardCharsets.UTF_8);
    }

    private static Name name(String text) {
        try {
            return Name.of(text);
        } catch (FsException e) {
            throw Problem.invalid("target", "The name cannot be that: " + e.getMessage() + ".");
        }
    }

    /** Tells why a clone was refused: more can be wrong than that the master is not ready. */
    static void await(CompletableFuture<?> made) {
        Optional<FsException> refusal =
                Log.await(made.handle((_, failure) -> Optional.ofNullable(refusal(failure))));
        if (refusal.isPresent()) {
            FsException why = refusal.get();
            boolean isBusy = why.errno() == Errno.EAGAIN || why.errno() == Errno.ETIMEDOUT;
            if (isBusy || why.errno() == Errno.NOT_LEADER) {
                throw Problem.unavailable("The clone was not made: " + why.getMessage() + ".");
            }
            throw Problem.conflict("The clone cannot be made: " + why.getMessage() + ".");
        }
    }

    private static @Nullable FsException refusal(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause == null || cause instanceof FsException) {
            return (FsException) cause;
        }
        throw new CompletionException(cause);
    }

    private Map<String, Object> document(TreePath source, Target target) {
        Map<String, Object> document = Json.map();
        document.put("source", source.text());
        document.put("target", target.text());
        Query.Lookup lookup = new Query.Lookup(target.parent.inode().ino(), target.name);
        Attributes made =
                master.namespace().read(0, lookup) instanceof Reply.EntryReply entry
                        ? entry.inode().attributes()
                        : source.inode().attributes();
        document.put("ino", String.valueOf(made.ino()));
        document.put("sizeBytes", made.size());
        return document;
    }
}

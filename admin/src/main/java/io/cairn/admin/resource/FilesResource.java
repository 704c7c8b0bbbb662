package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.ModeChange;
import io.cairn.master.MasterService;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code /files} and {@code /entries}: files and directories as they are stored, and the change of
 * a single one. Whole trees are for {@code /jobs}.
 */
public final class FilesResource implements Resource {
    private static final int MAX_CHUNKS = 1000;

    private static final Parameter INO =
            new Parameter("ino", Shape.text(), "Inode number, instead of a path; slow for files.");

    private static final Parameter CHUNKS_AFTER =
            new Parameter("chunksAfter", Shape.count(), "The 'next' of the chunks before.");

    private static final Parameter CHUNKS =
            new Parameter("chunks", Shape.whole(0, MAX_CHUNKS), "Chunks to tell; 100 unless told.");

    private static final Shape ENTRIES = Shape.page(entry());

    private final MasterService master;

    public FilesResource(MasterService master) {
        this.master = master;
    }

    private static Shape entry() {
        List<Field> all = new ArrayList<>();
        all.add(Field.of("name", Shape.text(), "In the directory."));
        all.add(Field.maybe("nameHex", Shape.text(), "Bytes of a name that is not UTF-8."));
        all.addAll(InodeDocument.ATTRIBUTES);
        return Shape.fields(all.toArray(Field[]::new));
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/files/{path*}", Role.READ, "A file or directory.")
                        .with(INO, CHUNKS_AFTER, CHUNKS)
                        .answers(InodeDocument.shape())
                        .reads(this::file),
                Route.of("PATCH", "/files/{path*}", Role.ADMIN, "Changes one file or directory.")
                        .takes(EditFields.FIELDS.toArray(Field[]::new))
                        .answers(InodeDocument.shape())
                        .changes(this::edit),
                Route.of("GET", "/entries/{path*}", Role.READ, "What is in a directory.")
                        .with(Parameter.paging())
                        .answers(ENTRIES)
                        .reads(this::entries));
    }

    private Outcome file(Call call) {
        String ino = call.parameter("ino");
        Namespace namespace = master.namespace();
        TreePath found;
        if (ino == null) {
            found = TreePath.find(namespace, call.bytes("path"));
        } else if (call.bytes("path").length > 0) {
            throw Problem.invalid("ino", "Give a path or 'ino', not both.");
        } else {
            found = TreePath.find(namespace, number(ino));
        }
        Map<String, Object> document = InodeDocument.of(namespace, found);
        if (found.inode().layout() != null) {
            document.put(
                    "chunks",
                    ChunkList.page(
                            namespace.clusterMap(),
                            found.inode(),
                            call.parameter("chunksAfter", -1) + 1,
                            (int) call.parameter("chunks", Parameter.DEFAULT_LIMIT)));
        }
        return Outcome.of(document);
    }

    private static long number(String ino) {
        try {
            return Long.parseLong(ino);
        } catch (NumberFormatException e) {
            throw Problem.invalid("ino", "'ino' must be a decimal number, not '" + ino + "'.");
        }
    }

    private Outcome entries(Call call) {
        Namespace namespace = master.namespace();
        TreePath directory = TreePath.find(namespace, call.bytes("path"));
        if (!directory.inode().attributes().isDirectory()) {
            throw Problem.conflict(
                    "'" + directory.text() + "' is not a directory: see it at /files.");
        }
        Reply reply =
                namespace.read(
                        0,
                        new Query.ReadDirectory(
                                directory.inode().ino(), after(call), Listing.limit(call), true));
        if (!(reply instanceof Reply.DirectoryReply page)) {
            throw Problem.notFound("'" + directory.text() + "' was removed just now.");
        }
        List<Object> items = new ArrayList<>();
        for (DirectoryEntry entry : page.entries()) {
            Map<String, Object> item = Json.map();
            TreePath.put(item, "name", entry.name().bytes());
            var attributes = entry.attributes();
            if (attributes != null) {
                InodeDocument.put(item, attributes);
            }
            items.add(item);
        }
        return Listing.page(
                items,
                page.end() || page.entries().isEmpty()
                        ? null
                        : String.valueOf(page.entries().getLast().cookie()));
    }

    private static long after(Call call) {
        String key = Listing.after(call);
        try {
            long cookie = key == null ? 0 : Long.parseLong(key);
            if (cookie >= 0) {
                return cookie;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw Problem.invalid("after", "'after' must be the 'next' of an earlier page.");
    }

    private Plan edit(Call call) {
        TreePath found = TreePath.find(master.namespace(), call.bytes("path"));
        InodeEdit edit = EditFields.of(call);
        if (edit.isNothing()) {
            throw Problem.malformed("The body does not tell what to change.");
        }
        Inode inode = found.inode();
        FileType type = inode.attributes().type();
        if (edit.policyMask() != 0 && type != FileType.FILE && type != FileType.DIRECTORY) {
            throw Problem.conflict(
                    "'" + found.text() + "' is neither a file nor a directory: it has no policy.");
        }
        if (edit.mode() != null && type == FileType.SYMLINK) {
            throw Problem.conflict("'" + found.text() + "' is a link: links have no mode.");
        }
        Plan plan = new Plan(() -> carryOut(found, edit));
        tell(plan, inode, edit);
        if (!master.namespace().isLaidOutAs(inode, edit.policyAfter(inode.policy()))) {
            plan.warn(
                    "The contents stay where they are until they are written anew;"
                            + " 'cairn fs set' moves them.");
        }
        if ((edit.policyMask() & (InodeEdit.COMPRESSION | InodeEdit.CHUNK_SIZE)) != 0) {
            checkCompression(plan, edit.policyAfter(inode.policy()));
        }
        if (type == FileType.DIRECTORY) {
            plan.warn("What is in the directory does not change: order a job for the tree.");
        }
        Map<String, Object> basis = Json.map();
        basis.put("ino", inode.ino());
        basis.put("version", inode.attributes().version());
        basis.put("edit", EditFields.toJson(edit));
        return plan.basedOn(basis);
    }

    private void checkCompression(Plan plan, Policy after) {
        EditFields.requirePackable(after);
        Compression compression = after.compression().orNone();
        if (compression != Compression.NONE
                && master.namespace().clusterMap().youngestPool(1, after.kind()) == null) {
            plan.warn(
                    "There is no pool with compression "
                            + compression.text()
                            + ": nothing is packed before a class asks for it.");
        }
    }

    private static void tell(Plan plan, Inode inode, InodeEdit edit) {
        var a = inode.attributes();
        ModeChange mode = edit.mode();
        if (mode != null) {
            tell(plan, "mode", octal(a.mode()), octal(mode.apply(a.mode(), a.isDirectory())));
        }
        if (edit.uid() != -1) {
            tell(plan, "uid", Integer.toUnsignedLong(a.uid()), Integer.toUnsignedLong(edit.uid()));
        }
        if (edit.gid() != -1) {
            tell(plan, "gid", Integer.toUnsignedLong(a.gid()), Integer.toUnsignedLong(edit.gid()));
        }
        Policy after = edit.policyAfter(inode.policy());
        if (!after.equals(inode.policy())) {
            plan.change("policy", EditFields.policy(inode.policy()), EditFields.policy(after));
        }
    }

    private static void tell(Plan plan, String what, Object from, Object to) {
        if (!from.equals(to)) {
            plan.change(what, from, to);
        }
    }

    private static String octal(int mode) {
        return String.format("%04o", mode);
    }

    private Outcome carryOut(TreePath found, InodeEdit edit) {
        long version = found.inode().attributes().version();
        Reply reply =
                Log.await(
                        master.edit(new JobMutation.EditInode(found.inode().ino(), version, edit)));
        if (reply instanceof Reply.EntryReply entry) {
            TreePath now =
                    new TreePath(found.path(), found.parentIno(), found.name(), entry.inode());
            return Outcome.of(InodeDocument.of(master.namespace(), now));
        }
        throw refusal(reply);
    }

    /** Why the log did not do a change. */
    static Problem refusal(Reply reply) {
        if (!(reply instanceof Reply.Failure failure)) {
            throw new IllegalStateException("unexpected answer " + reply);
        }
        String sentence = "It was not done: " + failure.message() + ".";
        return failure.errno() == Errno.ECANCELED
                ? Problem.stale("It has changed meanwhile: read it again.")
                : Problem.conflict(sentence);
    }
}

package io.cairn.admin.usage;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.resource.InodeDocument;
import io.cairn.admin.resource.TreePath;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Sums;
import io.cairn.master.MasterService;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;

/** {@code /usage}, {@code /top} and {@code /owners}: what trees, users and groups hold. */
public final class UsageResource implements Resource {
    private static final int PAGE = 1000;

    private static final Parameter BY =
            new Parameter(
                    "by",
                    Shape.choice(List.of("space", "length", "inodes")),
                    "The largest of these first; space unless told.");

    private static final Parameter KIND =
            new Parameter("kind", Shape.choice(List.of("users", "groups")), "Users unless told.");

    private final MasterService master;

    /** What something is called, and what it holds. */
    private record Holding(Map<String, Object> document, Sums sums) {}

    /** The largest holdings so far. */
    private static final class Largest {
        private final ToLongFunction<Sums> size;
        private final PriorityQueue<Holding> queue;
        private final int max;

        Largest(Call call) {
            String by = call.parameter("by");
            size = size(by == null ? "space" : by);
            queue = new PriorityQueue<>(Comparator.comparing(Holding::sums, this::compare));
            max = Listing.limit(call);
        }

        private static ToLongFunction<Sums> size(String by) {
            return switch (by) {
                case "length" -> Sums::lengthBytes;
                case "inodes" -> Sums::inodes;
                default -> Sums::spaceBytes;
            };
        }

        private int compare(Sums one, Sums other) {
            return Sums.compare(size.applyAsLong(one), size.applyAsLong(other));
        }

        void add(Holding holding) {
            queue.add(holding);
            if (queue.size() > max) {
                queue.remove();
            }
        }

        Outcome answer() {
            List<Object> items = new ArrayList<>();
            while (!queue.isEmpty()) {
                Holding holding = queue.remove();
                UsageDocument.put(holding.document, holding.sums);
                items.add(holding.document);
            }
            return Listing.page(new ArrayList<>(items.reversed()), null);
        }
    }

    /** About the state of a master. */
    public UsageResource(MasterService master) {
        this.master = master;
    }

    private static Shape with(Field... own) {
        List<Field> all = new ArrayList<>(List.of(own));
        all.addAll(UsageDocument.FIELDS);
        return Shape.fields(all.toArray(Field[]::new));
    }

    @Override
    public List<Route> routes() {
        Field ino = Field.of("ino", Shape.text(), "Inode number, decimal.");
        return List.of(
                Route.of("GET", "/usage/{path*}", Role.READ, "What lies below a directory.")
                        .answers(
                                with(
                                        Field.of("path", Shape.text(), "Of the directory."),
                                        Field.maybe("pathHex", Shape.text(), "If not UTF-8."),
                                        ino))
                        .reads(this::usage),
                Route.of("GET", "/top/{path*}", Role.READ, "The largest in a directory.")
                        .with(BY, Parameter.LIMIT)
                        .answers(
                                Shape.page(
                                        with(
                                                Field.of("name", Shape.text(), "In it."),
                                                Field.maybe(
                                                        "nameHex", Shape.text(), "If not UTF-8."),
                                                Field.of("type", Shape.text(), "file, ..."),
                                                ino)))
                        .reads(this::top),
                Route.of("GET", "/owners", Role.READ, "The users or groups that own most.")
                        .with(KIND, BY, Parameter.LIMIT)
                        .answers(Shape.page(with(Field.of("id", Shape.count(), "uid or gid."))))
                        .reads(this::owners));
    }

    private TreePath directory(Call call) {
        TreePath found = TreePath.find(master.namespace(), call.bytes("path"));
        if (!found.inode().attributes().isDirectory()) {
            throw Problem.conflict("'" + found.text() + "' is not a directory: see it at /files.");
        }
        return found;
    }

    private Outcome usage(Call call) {
        TreePath directory = directory(call);
        long ino = directory.inode().ino();
        Map<String, Object> document = Json.map();
        TreePath.put(document, "path", directory.path());
        document.put("ino", String.valueOf(ino));
        UsageDocument.put(document, master.namespace().accounts().sums(Account.directory(ino)));
        return Outcome.of(document);
    }

    private Outcome top(Call call) {
        TreePath directory = directory(call);
        Largest largest = new Largest(call);
        long cookie = 0;
        boolean isEnd = false;
        while (!isEnd) {
            Query.ReadDirectory query =
                    new Query.ReadDirectory(directory.inode().ino(), cookie, PAGE, true);
            if (!(master.namespace().read(0, query) instanceof Reply.DirectoryReply page)) {
                throw Problem.notFound("'" + directory.text() + "' was removed just now.");
            }
            for (DirectoryEntry entry : page.entries()) {
                cookie = entry.cookie();
                largest.add(holding(entry));
            }
            isEnd = page.end() || page.entries().isEmpty();
        }
        return largest.answer();
    }

    private Holding holding(DirectoryEntry entry) {
        Map<String, Object> document = Json.map();
        TreePath.put(document, "name", entry.name().bytes());
        document.put("type", InodeDocument.text(entry.type()));
        document.put("ino", String.valueOf(entry.ino()));
        return new Holding(document, master.namespace().accounts().total(entry.ino()));
    }

    private Outcome owners(Call call) {
        Account.Kind kind =
                "groups".equals(call.parameter("kind")) ? Account.Kind.GROUP : Account.Kind.USER;
        Namespace namespace = master.namespace();
        Largest largest = new Largest(call);
        long after = -1;
        while (true) {
            Map<Account, Sums> page = namespace.accounts().sums(kind, after, PAGE);
            for (Map.Entry<Account, Sums> entry : page.entrySet()) {
                after = entry.getKey().id();
                Map<String, Object> document = Json.map();
                document.put("id", after);
                largest.add(new Holding(document, entry.getValue()));
            }
            if (page.size() < PAGE) {
                return largest.answer();
            }
        }
    }
}

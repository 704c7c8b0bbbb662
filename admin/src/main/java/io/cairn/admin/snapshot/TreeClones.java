package io.cairn.admin.snapshot;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.resource.TreeCount;
import io.cairn.admin.resource.TreePath;
import io.cairn.admin.snapshot.ClonesResource.Target;
import io.cairn.cluster.PastInode;
import io.cairn.master.MasterService;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Orders clones of directories. A snapshot is taken of one that lives; the leading master drops it
 * when the job has ended. Thread-safe.
 */
final class TreeClones {
    private final MasterService master;
    private final RandomGenerator random;

    TreeClones(MasterService master, RandomGenerator random) {
        this.master = master;
        this.random = random;
    }

    /** The plan of a call; fails with a problem when it is impossible. */
    Plan plan(Call call, TreePath source, Target target) {
        long ino = source.inode().ino();
        if (PastInode.isList(ino)) {
            throw Problem.invalid(
                    "source", "'%s' has the snapshots: name one of them.".formatted(source.text()));
        }
        long parentIno = target.parent().inode().ino();
        if (!PastInode.isPast(ino) && master.namespace().isBelow(parentIno, ino)) {
            throw Problem.invalid(
                    "target",
                    "'%s' is in '%s', which is to be cloned: take a target outside of it."
                            .formatted(target.text(), source.text()));
        }
        Long pace = call.bodyNumber("maxPerSecond");
        int maxPerSecond = pace == null ? JobOrder.STANDARD_PER_SECOND : pace.intValue();
        String owner = call.caller().token();
        Plan plan = new Plan(() -> begin(source, target, owner, maxPerSecond));
        if (!call.isSet("plan")) {
            return plan.change("clone of " + source.text(), null, target.text());
        }
        Map<String, Object> count = TreeCount.of(master.namespace(), source.inode());
        plan.change("clone of " + source.text() + " at " + target.text(), null, count);
        if (!Boolean.TRUE.equals(count.get("complete"))) {
            plan.warn(
                    "The tree has more than %d names; only so many were counted."
                            .formatted(TreeCount.MAX_NAMES));
        }
        return plan;
    }

    private Outcome begin(TreePath source, Target target, String owner, int maxPerSecond) {
        long request = random.nextLong();
        long ino = source.inode().ino();
        if (!PastInode.isPast(ino)) {
            CompletableFuture<SnapshotRecord> taken =
                    master.snapshots().take(ino, SnapshotRecord.forClone(request));
            ClonesResource.await(taken);
            ino = PastInode.of(taken.join().number(), ino);
        }
        JobOrder order =
                new JobOrder(
                        JobOrder.Kind.CLONE,
                        target.text().getBytes(StandardCharsets.UTF_8),
                        ino,
                        target.parent().inode().ino(),
                        target.name(),
                        InodeEdit.NONE,
                        owner,
                        maxPerSecond);
        Reply reply = Log.await(master.submit(new JobMutation.Submit(request, order)));
        if (!(reply instanceof Reply.JobReply done)) {
            String why = reply instanceof Reply.Failure failure ? failure.message() : "" + reply;
            throw Problem.conflict("The clone cannot be made: " + why + ".");
        }
        String job = String.valueOf(done.job());
        Map<String, Object> document = Json.map();
        document.put("source", source.text());
        document.put("target", target.text());
        document.put("job", job);
        return Outcome.created(document, "/jobs/" + job);
    }
}

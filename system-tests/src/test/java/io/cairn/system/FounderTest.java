package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.cairn.admin.AdminSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.raft.RatisSettings;
import io.cairn.master.raft.member.Peer;
import io.cairn.node.Account;
import io.cairn.node.MasterNode;
import io.cairn.node.MasterRun;
import io.cairn.node.ProcessContext;
import io.cairn.testkit.Shell;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose the root directory is: an ordinary user who founds a cluster may write to it. */
final class FounderTest {
    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    private Attributes root(MasterNode.Plan plan, Account founder) throws Exception {
        AtomicReference<MasterNode> opened = new AtomicReference<>();
        try (ProcessContext world = new ProcessContext();
                MasterRun _ = new MasterRun(world, plan, founder, opened::set)) {
            AtomicReference<Attributes> found = new AtomicReference<>();
            Poll.until(
                    "the root",
                    60,
                    () -> {
                        Inode root = opened.get().service().namespace().inode(FileSystem.ROOT_INO);
                        if (root != null) {
                            found.set(root.attributes());
                        }
                        return root != null;
                    });
            return found.get();
        }
    }

    @Test
    void theRootIsOfWhoFoundedAndStaysSo() throws Exception {
        Endpoint door = new Endpoint("127.0.0.1", ProcessCluster.freePort());
        Endpoint raft = new Endpoint("127.0.0.1", ProcessCluster.freePort());
        MasterNode.Plan plan =
                new MasterNode.Plan(
                        "m1",
                        directory.resolve("m1"),
                        door,
                        new RatisSettings.Members(List.of(new Peer("m1", raft)), true),
                        ClusterSettings.STANDARD,
                        new AdminSettings("1", directory.resolve("token"), Set.of(), _ -> {}),
                        MasterNode.SESSION_LEASE_MS);
        for (Account each : List.of(new Account(1234, 1235), new Account(0, 0))) {
            Attributes root = root(plan, each);
            assertNotNull(root);
            assertEquals(1234, root.uid());
            assertEquals(1235, root.gid());
        }
    }

    /** The account that a package made for a service has another number on the next machine. */
    @Test
    void accountsOfServicesAreNotTakenForPeople() throws Exception {
        Account own = Account.current();
        assertEquals(Shell.run(directory, "id -u; id -g"), own.uid() + "\n" + own.gid() + "\n");
        assertEquals(new Account(1000, 999), new Account(1000, 999).person());
        assertEquals(new Account(0, 0), new Account(999, 1000).person());
    }
}

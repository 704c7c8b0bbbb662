package io.cairn.metadata.classes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.metadata.Bench;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.Reply;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ClassCheckTest {
    private final Bench bench = Bench.withPools(1);
    private long dir;

    @BeforeEach
    void assign() {
        StorageClass made = new StorageClass("large", new Policy(1, 24, -1), -1);
        done(new ClassMutation.SetClass(made, true));
        dir = bench.mkdir(Bench.ROOT, "dir").ino();
        done(new ClassMutation.AssignClass(dir, "large"));
        assertEquals(List.of(), bench.namespace.check());
    }

    private void done(ClassMutation mutation) {
        assertInstanceOf(Reply.Done.class, bench.leader(mutation));
    }

    private void damage(byte[] key, byte[] value) {
        bench.store.commit(
                List.of(new Change(Family.META, key, value)),
                bench.store.appliedTerm(),
                bench.store.appliedIndex());
    }

    private void assertTold(String word) {
        List<String> lines = bench.namespace.check();
        assertTrue(
                lines.stream().anyMatch(line -> line.startsWith("C1") && line.contains(word)),
                lines.toString());
    }

    @Test
    void aClassThatIsGoneIsTold() {
        damage(ClassKeys.of("large"), null);
        assertTold("inode " + dir + " refers to class 'large'");
    }

    @Test
    void rulesForWhatIsGoneAreTold() {
        ClassRule rule = new ClassRule(1, "small", "*.x", ClassRule.ANY, ClassRule.ANY, 4711);
        damage(ClassKeys.rules(), ClassKeys.encode(new RuleList(List.of(rule))));
        assertTold("rule 1 refers to class 'small'");
        assertTold("rule 1 is for inode 4711");
    }

    @Test
    void aFileWithAClassIsTold() {
        long file = bench.create(dir, "file").ino();
        damage(ClassKeys.directory(file), ClassKeys.encodeName("large"));
        assertTold("inode " + file + " has a class and is no directory");
    }
}

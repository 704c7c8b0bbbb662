package io.cairn.metadata.classes;

import io.cairn.cluster.Policy.ClassRule;
import io.cairn.fs.Name;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.JobMutation.ClassMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The rules that choose the classes of new files, in their order. Immutable. */
final class RuleList {
    /** How many rules there may be. */
    static final int MAX_RULES = 64;

    /** Without any rule. */
    static final RuleList NONE = new RuleList(List.of());

    private final List<ClassRule> rules;
    private final List<@Nullable NamePattern> patterns = new ArrayList<>();

    /** Rules whose patterns were checked. */
    RuleList(List<ClassRule> rules) {
        this.rules = List.copyOf(rules);
        for (ClassRule each : rules) {
            patterns.add(each.pattern().isEmpty() ? null : NamePattern.of(each.pattern()));
        }
    }

    List<ClassRule> rules() {
        return rules;
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    /** A file that a class is chosen for; without a name no rule with a pattern holds for it. */
    record Candidate(@Nullable Name name, int uid, int gid) {}

    /**
     * The first rule that holds for a file, or null.
     *
     * @param directories that of the file and all above it; asked for at most once
     */
    @Nullable ClassRule choose(Candidate file, Supplier<Set<Long>> directories) {
        int[] characters = null;
        Set<Long> above = null;
        for (int i = 0; i < rules.size(); i++) {
            ClassRule rule = rules.get(i);
            NamePattern pattern = patterns.get(i);
            boolean isAbout =
                    (rule.uid() == ClassRule.ANY || rule.uid() == file.uid())
                            && (rule.gid() == ClassRule.ANY || rule.gid() == file.gid());
            if (!isAbout) {
                continue;
            }
            if (pattern != null && characters == null && file.name() != null) {
                characters = NamePattern.charactersOf(file.name());
            }
            if (pattern != null && (characters == null || !pattern.matches(characters))) {
                continue;
            }
            if (rule.below() != ClassRule.EVERYWHERE) {
                above = above == null ? directories.get() : above;
                if (!above.contains(rule.below())) {
                    continue;
                }
            }
            return rule;
        }
        return null;
    }

    void encode(Encoder out) {
        out.i32(rules.size());
        rules.forEach(each -> ClassMutation.writeRule(out, each));
    }

    static RuleList decode(Decoder in) {
        List<ClassRule> found = new ArrayList<>();
        int count = in.i32();
        for (int i = 0; i < count; i++) {
            found.add(ClassMutation.readRule(in));
        }
        return new RuleList(found);
    }
}

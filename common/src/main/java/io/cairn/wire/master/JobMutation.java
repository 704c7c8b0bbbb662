package io.cairn.wire.master;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * The mutations of tree jobs, and the change of a single inode by an administrator; beside them
 * those of storage classes. Only the leader proposes them.
 */
public sealed interface JobMutation extends LeaderMutation {
    /**
     * Takes an order for a job. Answered by {@link Reply.JobReply}, a repetition by the same one.
     * ESTALE when the tree is not at its place any more, EAGAIN when too many jobs wait, EINVAL for
     * an order that makes no sense, EBUSY for the removal of the root of the filesystem.
     *
     * @param request a random number that no other order has
     */
    record Submit(long request, JobOrder order) implements JobMutation {
        @Override
        public MutationType type() {
            return MutationType.SUBMIT;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(request);
            order.encode(out);
        }

        static Submit decode(Decoder in) {
            return new Submit(in.i64(), JobOrder.decode(in));
        }
    }

    /** Orders to a job. */
    enum Action implements Coded {
        /** To stop until it is resumed. */
        PAUSE(0),
        /** To go on when there is room among the running ones. */
        RESUME(1),
        /** To end where it is. */
        CANCEL(2),
        /** To be forgotten; only finished ones. */
        FORGET(3),
        /** To keep another pace. */
        PACE(4);

        /** All by their codes. */
        public static final CodeTable<Action> CODES = new CodeTable<>(values());

        private final int code;

        Action(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /**
     * Asks something of a job. ENOENT when there is none, ECANCELED when it is not at the expected
     * change, EBUSY when its state forbids it; nothing happens when it is as asked already.
     *
     * @param serial the number of the job's last change by somebody; -1 = whatever it is
     * @param maxPerSecond the pace from now on; 0 = unchanged, but not for {@link Action#PACE}
     */
    record Control(long job, long serial, Action action, int maxPerSecond) implements JobMutation {
        @Override
        public MutationType type() {
            return MutationType.CONTROL;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(job).i64(serial).u8(action.code()).i32(maxPerSecond);
        }

        static Control decode(Decoder in) {
            return new Control(in.i64(), in.i64(), in.coded(Action.CODES), in.i32());
        }
    }

    /**
     * Does the next part of a running job, and moves its cursor, in one step. Nothing happens when
     * the job is not at the expected step: so a repetition does nothing. Answered by {@link
     * Reply.JobReply}.
     *
     * @param step steps that the job has done so far
     * @param max names to go through, 1..{@link #MAX_NAMES}
     */
    record Step(long job, long step, int max) implements JobMutation {
        /** Names that one step goes through. */
        public static final int MAX_NAMES = 1024;

        @Override
        public MutationType type() {
            return MutationType.STEP;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(job).i64(step).i32(max);
        }

        static Step decode(Decoder in) {
            return new Step(in.i64(), in.i64(), in.i32());
        }
    }

    /**
     * Changes one inode. Answered by {@link Reply.EntryReply}. ECANCELED when the inode has another
     * version than the expected one.
     *
     * @param version the expected version; 0 = whatever it is
     */
    record EditInode(long ino, long version, InodeEdit edit) implements JobMutation {
        @Override
        public MutationType type() {
            return MutationType.EDIT_INODE;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(version);
            edit.encode(out);
        }

        static EditInode decode(Decoder in) {
            return new EditInode(in.i64(), in.i64(), InodeEdit.decode(in));
        }
    }

    /** The mutations of storage classes, for administrators. Only the leader proposes them. */
    sealed interface ClassMutation extends LeaderMutation {
        /** Writes the fields of a class. */
        static void writeClass(Encoder out, StorageClass storageClass) {
            out.text(storageClass.name());
            Codecs.policy(out, storageClass.policy());
            out.i64(storageClass.trashSeconds());
        }

        /** Reads the fields of a class. */
        static StorageClass readClass(Decoder in) {
            return new StorageClass(in.text(), Codecs.policy(in), in.i64());
        }

        /**
         * Makes or changes a class; new files follow at once. EINVAL for a name or a policy that
         * cannot be, EEXIST, ENOENT, ENOSPC when there are too many.
         *
         * @param isNew whether it must not exist, or else has to
         */
        record SetClass(StorageClass storageClass, boolean isNew) implements ClassMutation {
            @Override
            public MutationType type() {
                return MutationType.SET_CLASS;
            }

            @Override
            public void encode(Encoder out) {
                writeClass(out, storageClass);
                out.bool(isNew);
            }

            static SetClass decode(Decoder in) {
                return new SetClass(readClass(in), in.bool());
            }
        }

        /** Removes a class. ENOENT, EBUSY while a directory or a rule refers to it. */
        record RemoveClass(String name) implements ClassMutation {
            @Override
            public MutationType type() {
                return MutationType.REMOVE_CLASS;
            }

            @Override
            public void encode(Encoder out) {
                out.text(name);
            }

            static RemoveClass decode(Decoder in) {
                return new RemoveClass(in.text());
            }
        }

        /**
         * Sets the class of a directory and of all below that has none itself. ESTALE, ENOTDIR,
         * ENOENT when there is no such class, EINVAL for the trash.
         *
         * @param name empty: as the directory above
         */
        record AssignClass(long ino, String name) implements ClassMutation {
            @Override
            public MutationType type() {
                return MutationType.ASSIGN_CLASS;
            }

            @Override
            public void encode(Encoder out) {
                out.i64(ino).text(name);
            }

            static AssignClass decode(Decoder in) {
                return new AssignClass(in.i64(), in.text());
            }
        }

        /** Writes the fields of a rule. */
        static void writeRule(Encoder out, ClassRule rule) {
            out.i32(rule.id()).text(rule.className()).text(rule.pattern());
            out.i32(rule.uid()).i32(rule.gid()).i64(rule.below());
        }

        /** Reads the fields of a rule. */
        static ClassRule readRule(Decoder in) {
            return new ClassRule(in.i32(), in.text(), in.text(), in.i32(), in.i32(), in.i64());
        }

        /**
         * Adds a rule that chooses a class for new files; the masters give its number. ENOENT when
         * there is no such class or no rule to go before, ESTALE or ENOTDIR for the directory.
         * EINVAL for a pattern that cannot be, EEXIST for one about the same files, ENOSPC when
         * there are too many.
         *
         * @param before the number of the rule that it goes before; 0 = after all
         */
        record AddClassRule(ClassRule rule, int before) implements ClassMutation {
            @Override
            public MutationType type() {
                return MutationType.ADD_CLASS_RULE;
            }

            @Override
            public void encode(Encoder out) {
                writeRule(out, rule);
                out.i32(before);
            }

            static AddClassRule decode(Decoder in) {
                return new AddClassRule(readRule(in), in.i32());
            }
        }

        /** Removes a rule. ENOENT. */
        record RemoveClassRule(int id) implements ClassMutation {
            @Override
            public MutationType type() {
                return MutationType.REMOVE_CLASS_RULE;
            }

            @Override
            public void encode(Encoder out) {
                out.i32(id);
            }

            static RemoveClassRule decode(Decoder in) {
                return new RemoveClassRule(in.i32());
            }
        }
    }
}

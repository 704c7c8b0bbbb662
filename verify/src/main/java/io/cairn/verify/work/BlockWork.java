package io.cairn.verify.work;

import io.cairn.verify.history.BlockHistory;
import io.cairn.verify.history.StampedBlocks;
import io.cairn.verify.work.AccessPoint.Ending;
import io.cairn.verify.work.AccessPoint.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Single blocks of a few files that all accesses write and read. */
final class BlockWork implements Workload.Part {
    private static final int FILES = 3;
    private static final int BLOCKS = 8;

    private final Workload workload;
    private final List<BlockHistory> blocks = new ArrayList<>();

    BlockWork(Workload workload) {
        this.workload = workload;
        for (int i = 0; i < FILES * BLOCKS; i++) {
            blocks.add(new BlockHistory(path(i) + ", block " + i % BLOCKS, workload.cuts()));
        }
    }

    private static String path(int block) {
        return Workload.ROOT + "/blocks-" + block / BLOCKS;
    }

    @Override
    public void prepare() {
        AccessPoint first = workload.accesses().getFirst();
        for (int file = 0; file < FILES; file++) {
            byte[] contents = new byte[BLOCKS * StampedBlocks.BLOCK];
            List<BlockHistory.Write> writes = new ArrayList<>();
            int begin = file * BLOCKS;
            for (int i = 0; i < BLOCKS; i++) {
                long number = workload.nextNumber();
                writes.add(
                        blocks.get(begin + i)
                                .begin(number, workload.clock().nanoTime(), true, first.name()));
                System.arraycopy(
                        StampedBlocks.block(number, 0),
                        0,
                        contents,
                        i * StampedBlocks.BLOCK,
                        StampedBlocks.BLOCK);
            }
            Workload.require(
                    first.run(
                            OperationKind.WRITE,
                            "make " + path(begin),
                            f -> f.store(path(begin), contents, true)));
            long nowNs = workload.clock().nanoTime();
            for (int i = 0; i < BLOCKS; i++) {
                blocks.get(begin + i).acknowledged(writes.get(i), nowNs);
            }
        }
    }

    /** One write or read of one block. */
    void step(AccessPoint access, Random random) throws InterruptedException {
        int block = random.nextInt(blocks.size());
        boolean known =
                workload.whileRunning(
                        () ->
                                random.nextBoolean()
                                        ? write(access, block, random.nextInt(3) == 0)
                                        : read(access, block, false));
        if (!known) {
            Thread.sleep(50);
        }
    }

    private boolean write(AccessPoint access, int block, boolean sync) {
        long number = workload.nextNumber();
        BlockHistory history = blocks.get(block);
        BlockHistory.Write write =
                history.begin(number, workload.clock().nanoTime(), sync, access.name());
        Outcome<Boolean> done =
                access.run(
                        OperationKind.WRITE,
                        "write " + path(block),
                        f ->
                                f.write(
                                        path(block),
                                        offset(block),
                                        StampedBlocks.block(number, 0),
                                        sync));
        if (done.isDone()) {
            history.acknowledged(write, done.endNs());
        } else if (done.ending() != Ending.UNKNOWN) {
            workload.findings().violate(path(block) + " is not there: " + done.error());
        }
        return done.isDone();
    }

    private static long offset(int block) {
        return (long) (block % BLOCKS) * StampedBlocks.BLOCK;
    }

    private boolean read(AccessPoint access, int block, boolean calm) {
        Outcome<byte[]> found =
                access.call(
                        OperationKind.READ,
                        "read " + path(block),
                        f -> f.read(path(block), offset(block), StampedBlocks.BLOCK));
        if (found.isDone()) {
            String wrong =
                    blocks.get(block)
                            .mismatch(found.get(), found.beginNs(), found.endNs(), access.name());
            if (wrong != null) {
                workload.findings().violate(wrong);
            }
        } else if (calm || found.ending() != Ending.UNKNOWN) {
            workload.findings().violate(path(block) + " cannot be read: " + found.error());
        }
        return found.isDone();
    }

    @Override
    public void check(AccessPoint by) {
        for (int block = 0; block < blocks.size(); block++) {
            read(by, block, true);
        }
    }
}

package io.cairn.metadata.trash;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.usage.QuotaTable;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a restore would add to the accounts with quotas: it goes the way of the restore without
 * changing anything, so that it is refused as a whole or done as a whole. Files count for their
 * owners in the trash already. For one mutation; belongs to the apply thread.
 */
final class RestoreRoom {
    /** Stands for a file that would be there. */
    private static final long FILE = 0;

    private record Place(long directory, Name name) {}

    private final InodeTable inodes;
    private final DirectoryTable directories;
    private final TrashTable table;
    private final Map<Account, Sums> more = new LinkedHashMap<>();

    /** What would be made: directories by numbers below 0, which no inode has. */
    private final Map<Place, Long> made = new HashMap<>();

    /** By such a number: the directory above that is there already. */
    private final Map<Long, Long> homes = new HashMap<>();

    RestoreRoom(InodeTable inodes, DirectoryTable directories, TrashTable table) {
        this.inodes = inodes;
        this.directories = directories;
        this.table = table;
    }

    /**
     * One more is to be restored.
     *
     * @param names where it was; that of a file stands last
     * @param models the directories of the trash that missing ones become like
     */
    void add(TrashRecord record, Inode inode, List<Name> names, List<Long> models) {
        int depth = record.isDirectory() ? names.size() : names.size() - 1;
        long at = FileSystem.ROOT_INO;
        for (int i = 0; i < depth; i++) {
            at = enter(at, names.get(i), models.get(i));
        }
        if (!record.isDirectory()) {
            Name tried = names.getLast();
            for (int attempt = 1; isTaken(new Place(at, tried)); attempt++) {
                tried = TrashOperations.suffixed(names.getLast(), attempt);
            }
            made.put(new Place(at, tried), FILE);
            charge(at, inodes.quotas().held(inode));
        }
    }

    private long enter(long directory, Name name, long modelIno) {
        Name tried = name;
        for (int attempt = 1; ; attempt++) {
            Place place = new Place(directory, tried);
            Long planned = made.get(place);
            Dentry dentry = directory < 0 ? null : directories.find(directory, tried);
            if (dentry != null && dentry.isDirectory()) {
                return dentry.ino();
            }
            if (planned != null && planned != FILE) {
                return planned;
            }
            if (dentry == null && planned == null) {
                return plan(place, modelIno);
            }
            tried = TrashOperations.suffixed(name, attempt);
        }
    }

    private boolean isTaken(Place place) {
        return made.containsKey(place)
                || place.directory >= 0 && directories.find(place.directory, place.name) != null;
    }

    private long plan(Place place, long modelIno) {
        TrashRecord model = table.find(modelIno);
        var like = model == null ? inodes.require(modelIno).attributes() : model.before();
        Sums one = new Sums(1, 0, 0);
        more.merge(Account.user(like.uid()), one, Sums::plus);
        more.merge(Account.group(like.gid()), one, Sums::plus);
        charge(place.directory, one);
        long number = -1L - homes.size();
        homes.put(number, home(place.directory));
        made.put(place, number);
        return number;
    }

    private long home(long directory) {
        return homes.getOrDefault(directory, directory);
    }

    private void charge(long directory, Sums sums) {
        for (Account account : inodes.quotas().above(home(directory))) {
            more.merge(account, sums, Sums::plus);
        }
    }

    /**
     * Refuses the restore when there is no room for all of it.
     *
     * @throws FsException EDQUOT, with the account and what to do
     */
    void require() {
        for (Map.Entry<Account, Sums> each : more.entrySet()) {
            QuotaTable.Excess excess = inodes.quotas().excess(each.getKey(), each.getValue());
            if (excess != null) {
                throw new FsException(Errno.EDQUOT, told(excess));
            }
        }
    }

    private String told(QuotaTable.Excess excess) {
        Account account = excess.account();
        boolean isDirectory = account.kind() == Account.Kind.DIRECTORY;
        String of = isDirectory ? path(account.id()) : account.toString();
        return "the quota of %s has %d of %d %s, and %d more are to be restored: %s"
                .formatted(
                        isDirectory ? "'" + of + "'" : of,
                        excess.used(),
                        excess.limit(),
                        excess.what(),
                        excess.more(),
                        "raise it with 'cairn quota set', remove files, or restore less");
    }

    private String path(long directory) {
        StringBuilder path = new StringBuilder();
        long at = directory;
        while (at != FileSystem.ROOT_INO) {
            Inode inode = inodes.require(at);
            byte[] name = directories.nameOf(inode).bytes();
            path.insert(0, "/" + new String(name, StandardCharsets.UTF_8));
            at = inode.parentIno();
        }
        return path.isEmpty() ? "/" : path.toString();
    }
}

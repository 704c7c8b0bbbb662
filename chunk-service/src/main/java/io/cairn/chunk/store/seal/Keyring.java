package io.cairn.chunk.store.seal;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Pool;
import io.cairn.seal.MasterKey;
import io.cairn.seal.WrappedKey;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of storage classes that a chunk server knows, and which of its groups are encrypted with
 * which. The keys come from the masters, and from the targets at the start; what is in memory only
 * is unwrapped. Thread-safe.
 */
public final class Keyring {
    /** Of a group of which nothing is known. */
    public static final int UNKNOWN = -1;

    private static final Logger LOG = LoggerFactory.getLogger(Keyring.class);

    private final @Nullable MasterKey master;
    private final Map<Integer, WrappedKey> wrapped = new ConcurrentHashMap<>();
    private final Map<Integer, byte[]> secrets = new ConcurrentHashMap<>();

    /** Keys of which it was said that they are wrapped anew. */
    private final Set<Integer> strange = ConcurrentHashMap.newKeySet();

    private volatile IntUnaryOperator keyOfGroup = _ -> UNKNOWN;

    /**
     * A ring without keys.
     *
     * @param master opens those that come; null on a server that has none
     */
    public Keyring(@Nullable MasterKey master) {
        this.master = master;
    }

    /** From now on this tells the key of a group: 0 = not encrypted, {@link #UNKNOWN}. */
    public void placeBy(IntUnaryOperator keys) {
        keyOfGroup = keys;
    }

    /** The key that a new file in a group has; 0 = none; {@link #UNKNOWN}. */
    int keyOf(int group) {
        int key = keyOfGroup.applyAsInt(group);
        return key == UNKNOWN && wrapped.isEmpty() ? 0 : key;
    }

    /**
     * Takes what the masters say about keys. A key that was dropped stays so. One that was wrapped
     * with another master key, which this server does not have, stays as it was. So does one of
     * which the masters have another by the same number: files of this server have it.
     *
     * @return whether anything is new
     */
    public boolean learn(List<WrappedKey> told) {
        boolean news = false;
        for (WrappedKey key : told) {
            WrappedKey known = wrapped.get(key.number());
            if (key.equals(known) || (known != null && known.isDropped())) {
                continue;
            }
            String strangeness = strangeness(key);
            if (!strangeness.isEmpty()) {
                if (strange.add(key.number())) {
                    LOG.error("Key {} {}", key.number(), strangeness);
                }
                continue;
            }
            news = true;
            wrapped.put(key.number(), key);
            secrets.remove(key.number());
            if (key.isDropped()) {
                LOG.warn(
                        "Key {} was dropped: what it encrypts cannot be read any more",
                        key.number());
                continue;
            }
            String objection = objection(key.number());
            if (objection != null) {
                LOG.error("Key {} of a storage class: {}", key.number(), objection);
            }
        }
        return news;
    }

    /** Why a key does not take the place of the one in use by its number; empty when it does. */
    private String strangeness(WrappedKey key) {
        if (key.isDropped() || !secrets.containsKey(key.number())) {
            return "";
        }
        if (unwrapped(key) == null) {
            return "is wrapped with another master key now: start this server with that one";
        }
        return contradicts(key)
                ? "is another one here than at the masters, and stays so: files have it. 'cairn"
                        + " class keys rotate' gives the class a key that all know"
                : "";
    }

    private byte @Nullable [] unwrapped(WrappedKey key) {
        try {
            return master == null ? null : master.unwrap(key);
        } catch (GeneralSecurityException e) {
            return null;
        }
    }

    /** Whether a key is surely another one than the one in use by its number. */
    boolean contradicts(WrappedKey key) {
        byte[] secret = secrets.get(key.number());
        if (secret == null || key.isDropped()) {
            return false;
        }
        byte[] told = unwrapped(key);
        return told != null && !MessageDigest.isEqual(secret, told);
    }

    /** Whether the keys of all these pools were told, be they of use here or not. */
    public boolean knowsAll(Collection<Pool> pools) {
        return pools.stream().allMatch(pool -> pool.key() == 0 || wrapped.containsKey(pool.key()));
    }

    /** A key as it may be stored; null when nothing is known of it. */
    @Nullable WrappedKey wrapped(int number) {
        return wrapped.get(number);
    }

    /**
     * Fails with EIO when new files of a group would need a key that was dropped. No member can
     * make them, so it is the fault of none.
     */
    public void requireNotDropped(int group) {
        if (isLost(group)) {
            throw new FsException(
                    Errno.EIO,
                    "key %d was dropped: 'cairn class keys rotate' makes another one"
                            .formatted(keyOf(group)));
        }
    }

    /** Whether the key of a group was dropped, and with it all that its blobs hold. */
    public boolean isLost(int group) {
        int key = keyOf(group);
        return key > 0 && isDropped(key);
    }

    /** Whether a key is gone for good. */
    boolean isDropped(int number) {
        WrappedKey key = wrapped.get(number);
        return key != null && key.isDropped();
    }

    /** Why a key cannot be used, with the remedy; null when it can. */
    @Nullable String objection(int number) {
        try {
            secret(number);
            return null;
        } catch (SealException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** The key itself. */
    byte[] secret(int number) throws SealException {
        byte[] secret = secrets.get(number);
        if (secret != null) {
            return secret;
        }
        WrappedKey key = wrapped.get(number);
        if (key == null) {
            throw new SealException("the masters have not told key " + number + " yet");
        }
        if (key.isDropped()) {
            throw new SealException(
                    "its key " + number + " was dropped, and with it what it holds", true);
        }
        if (master == null) {
            throw new SealException(
                    "key "
                            + number
                            + " needs the master key: start this server with --master-key-file"
                            + " or --master-key-command");
        }
        try {
            secret = master.unwrap(key);
        } catch (GeneralSecurityException e) {
            throw new SealException(
                    "the master key of this server does not open key "
                            + number
                            + " ("
                            + e.getMessage()
                            + "): give the one with which it was made");
        }
        secrets.put(number, secret);
        if (!key.equals(wrapped.get(number))) {
            secrets.remove(number); // It was dropped, or wrapped anew, meanwhile.
        }
        return secret;
    }
}

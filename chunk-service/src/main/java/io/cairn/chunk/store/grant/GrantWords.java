package io.cairn.chunk.store.grant;

import io.cairn.chunk.store.format.BlobKey;
import io.cairn.runtime.local.SharedWords;
import io.cairn.wire.chunk.DirectRequest;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a chunk server shares with clients that read files of blobs themselves. One word
 * tells until when the server may answer reads, and one for each blob that is granted changes when
 * the grant ends. When no word is left, a grant that is old ends. Thread-safe.
 */
public final class GrantWords {
    private final SharedWords words;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final @Nullable Holder[] holders;
    private int hand = DirectRequest.LEASE_WORD;

    /** The blob of a word. */
    private record Holder(Grants grants, BlobKey key) {}

    /**
     * A granted blob.
     *
     * @param word index of its word
     * @param value what stands there while the grant lasts; never again afterwards
     */
    public record Grant(int word, long value) {}

    /** Takes over words that are all 0, two at least. */
    public GrantWords(SharedWords words) {
        this.words = words;
        this.holders = new Holder[words.count()];
        words.set(DirectRequest.LEASE_WORD, DirectRequest.NO_LEASE);
        for (int i = 0; i < words.count(); i++) {
            if (i != DirectRequest.LEASE_WORD) {
                free.add(i);
            }
        }
    }

    /**
     * Reads may be answered until a time of the server's clock, or {@link DirectRequest#NO_LEASE}.
     */
    public void allowUntil(long endNs) {
        words.set(DirectRequest.LEASE_WORD, endNs);
    }

    /** A word for a blob. */
    Grant take(Grants grants, BlobKey key) {
        while (true) {
            Holder old;
            synchronized (this) {
                Integer word = free.poll();
                if (word != null) {
                    holders[word] = new Holder(grants, key);
                    return new Grant(word, words.get(word));
                }
                hand = (hand + 1) % holders.length;
                old = holders[hand];
            }
            if (old != null) {
                old.grants.end(old.key);
            }
        }
    }

    /** Everybody who looks from now on sees that the grant has ended. Once for each grant. */
    synchronized void end(Grant grant) {
        words.set(grant.word, grant.value + 1);
        holders[grant.word] = null;
        free.add(grant.word);
    }
}

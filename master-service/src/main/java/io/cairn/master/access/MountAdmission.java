package io.cairn.master.access;

import io.cairn.base.FsException;
import io.cairn.metadata.Namespace;
import io.cairn.net.Principal;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether requests of clients may go on. It costs a comparison as long as there are no
 * rules. Thread-safe; never blocks.
 */
public final class MountAdmission {
    /** What is known of the sessions. */
    public interface Sessions {
        /** Whether a session holds an inode open. */
        boolean holds(long session, long ino);

        /**
         * Lets one more session begin unless too many of its rules' clients have one already.
         *
         * @param owner of the new session
         * @param rules that it belongs to
         * @return a rule that is full; null when it may begin: then it counts from now on
         */
        @Nullable MountRule begin(MountClient owner, List<MountRule> rules);
    }

    private final Supplier<Namespace> namespace;
    private final Sessions sessions;
    private final RecordBook<MountRules> book;

    /** A gate in front of a state. */
    public MountAdmission(Supplier<Namespace> namespace, Sessions sessions) {
        this.namespace = namespace;
        this.sessions = sessions;
        this.book =
                new RecordBook<>(namespace, MountRules.RECORD, MountRules.NONE, MountRules::decode);
    }

    /** Whether there are no rules for somebody to keep, and nothing is looked at. */
    public boolean isOpenTo(Principal other) {
        return hasNoRules(book.value()) && !MountClient.hasPasswordOnly(other);
    }

    private static boolean hasNoRules(@Nullable MountRules rules) {
        return rules != null && rules.list().isEmpty();
    }

    /**
     * Judges a mutation, which is decoded for it when there are rules.
     *
     * @param frame with the envelope from {@code offset} to its end
     * @throws io.cairn.wire.MalformedMessageException when it cannot be decoded
     */
    public Admitted admit(MountClient from, byte[] frame, int offset) {
        Visit visit = visit(from);
        if (visit == null) {
            return new Admitted(frame, offset, null);
        }
        Envelope asked = Envelope.decode(new Decoder(frame, offset, frame.length - offset));
        try {
            Envelope admitted = visit.admit(asked);
            return admitted.equals(asked)
                    ? new Admitted(frame, offset, null, visit)
                    : new Admitted(admitted.toBytes(), 0, null, visit);
        } catch (FsException e) {
            Reply.Failure refusal = new Reply.Failure(e.errno(), String.valueOf(e.getMessage()));
            return new Admitted(frame, offset, refusal);
        }
    }

    /**
     * The decisions about a request of a client; null when there are no rules. A password alone
     * opens nothing then.
     */
    public @Nullable Visit visit(MountClient client) {
        MountRules rules = book.value();
        if (hasNoRules(rules) && !client.hasPasswordOnly()) {
            return null;
        }
        List<MountRule> own = rules == null ? List.of() : rules.of(client);
        boolean asksUser = own.isEmpty() && rules != null && rules.askUser(client);
        return new Visit(namespace.get(), sessions, new Visit.Client(client, asksUser), own);
    }
}

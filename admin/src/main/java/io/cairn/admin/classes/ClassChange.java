package io.cairn.admin.classes;

import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Problem;
import io.cairn.base.Errno;
import io.cairn.master.MasterService;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.Reply;
import java.util.function.Supplier;

/** Carries changes of classes and their rules out. */
final class ClassChange {
    private ClassChange() {}

    /**
     * The outcome of a change that was done.
     *
     * @throws Problem 404 when it is about something that is not there; 409 when it was refused;
     *     503 when the masters do not answer
     */
    static Outcome carryOut(MasterService master, ClassMutation mutation, Supplier<Outcome> done) {
        Reply reply = Log.await(master.submit(mutation));
        if (reply instanceof Reply.Failure failure) {
            String sentence = "It was not done: " + failure.message() + ".";
            throw failure.errno() == Errno.ENOENT
                    ? Problem.notFound(sentence)
                    : Problem.conflict(sentence);
        }
        return done.get();
    }
}

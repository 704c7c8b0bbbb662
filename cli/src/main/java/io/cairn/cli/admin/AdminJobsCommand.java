package io.cairn.cli.admin;

import io.cairn.base.Wording;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.JobWait;
import io.cairn.cli.api.Reading;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn admin jobs}: work on whole trees that the masters do. */
@Command(
        name = "jobs",
        description = "List the jobs on trees, the last one ordered first.",
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn admin jobs --watch",
            "  cairn admin jobs rate 12 500       # names a second",
            "  cairn fs count /projects           # orders one"
        })
@Calls("GET /jobs")
final class AdminJobsCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Only those: queued, running, paused, done, failed, cancelled.")
    private @Nullable String state;

    @Override
    public Integer call() {
        return reading.list(
                ApiRequest.of("GET /jobs").query("state", state),
                "id kind state progress.names:names progress.namesFound:found"
                        + " progress.namesPerSecond:per-second totals.errors:errors owner orderedAt"
                        + " path");
    }

    @Command(
            name = "show",
            description = "Show a job with its first errors.",
            footer = "  cairn admin jobs show 12")
    @Calls("GET /jobs/{id}")
    int show(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Reading asked) {
        return asked.show(ApiRequest.of("GET /jobs/{id}", id));
    }

    @Command(
            name = "wait",
            description = "Wait until a job has ended, and show what it did.",
            footer = "  cairn admin jobs wait 12")
    @Calls("GET /jobs/{id}")
    int await(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Reading asked) {
        return new JobWait(asked).toTheEnd(id);
    }

    @Command(name = "pause", description = "Pause a job.", footer = "  cairn admin jobs pause 12")
    @Calls("PATCH /jobs/{id}")
    int pause(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Changing changing) {
        return control(id, changing, Map.of("state", "paused"), "is paused");
    }

    @Command(
            name = "resume",
            description = "Let a paused job go on.",
            footer = "  cairn admin jobs resume 12")
    @Calls("PATCH /jobs/{id}")
    int resume(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Changing changing) {
        return control(id, changing, Map.of("state", "running"), "goes on");
    }

    @Command(
            name = "rate",
            description = "Set how many names a second a job may go through.",
            footer = "  cairn admin jobs rate 12 500")
    @Calls("PATCH /jobs/{id}")
    int rate(
            @Parameters(index = "0", paramLabel = "ID", description = "As listed.") String id,
            @Parameters(index = "1", paramLabel = "N", description = "Names a second.") int names,
            @Mixin Changing changing) {
        return control(
                id,
                changing,
                Map.of("maxPerSecond", names),
                "may do " + Wording.count(names, "name") + " a second");
    }

    private static int control(
            String id, Changing changing, Map<String, Object> body, String sentence) {
        return changing.done(
                changing.apply(ApiRequest.of("PATCH /jobs/{id}", id).body(body)),
                "job " + id + " " + sentence);
    }

    @Command(
            name = "cancel",
            description = "Cancel a job: what it did stays done. One that has ended is forgotten.",
            footer = "  cairn admin jobs cancel 12")
    @Calls("DELETE /jobs/{id}")
    int cancel(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("DELETE /jobs/{id}", id)),
                "job " + id + " is cancelled, or forgotten if it had ended");
    }
}

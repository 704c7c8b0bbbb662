package io.cairn.cli.fs;

import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.ByteText;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.JobWait;
import io.cairn.node.ExitCode;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands that order jobs on trees, and how they wait for them. */
final class Ordering {
    @Option(names = "--detach", description = "Print the number of the job and do not wait.")
    private boolean detach;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Names a second that the job may go through (default: 2000).")
    private @Nullable Integer rate;

    /** Whether a command waits for the end of the job. */
    boolean isWaiting() {
        return !detach;
    }

    /**
     * Orders a job and waits for it.
     *
     * @param edit what it changes, fields of the API
     * @param isLoss whether data or copies may be lost: then only with consent
     */
    int order(
            Changing changing,
            String kind,
            ClusterPath path,
            Map<String, Object> edit,
            boolean isLoss) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("kind", kind);
        if (ByteText.isText(path.text())) {
            body.put("path", path.text());
        } else {
            body.put("pathHex", HexFormat.of().formatHex(ByteText.bytes(path.text())));
        }
        body.putAll(edit);
        putRate(body);
        ApiRequest request = ApiRequest.of("POST /jobs").body(body);
        ApiAnswer answer = isLoss ? changing.applyWithConsent(request) : changing.apply(request);
        if (answer == null) {
            return ExitCode.OK;
        }
        return follow(changing, answer, String.valueOf(answer.document().get("id")));
    }

    /** Adds the pace to an order, if one is given. */
    void putRate(Map<String, Object> body) {
        if (rate != null) {
            body.put("maxPerSecond", rate);
        }
    }

    /** Waits for a job that was ordered, or tells its number. */
    int follow(Changing changing, ApiAnswer answer, String id) {
        if (detach) {
            return changing.done(answer, id);
        }
        changing.errors().println("cairn: job " + id + " runs; Ctrl-C does not stop it");
        return new JobWait(changing).toTheEnd(id);
    }
}

package io.cairn.cli.fs;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn class rule}: classes of new files by name, owner and group. */
@Command(
        name = "rule",
        description = {
            "List the rules that choose the classes of new files by name, owner and group.",
            "The first one that holds for a file decides, before the class of its directory."
        },
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn class rule add videos --name '*.mp4'",
            "  cairn class rule add scratch --owner alice --below /projects",
            "  cairn class rule",
            "  cairn class rule remove 2"
        })
@Calls("GET /class-rules")
public final class ClassRuleCommand implements Callable<Integer> {
    private static final String COLUMNS = "id class name uid gid below";

    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.list(ApiRequest.of("GET /class-rules"), COLUMNS);
    }

    /** The files that a rule is about. */
    static final class Files {
        @Option(
                names = "--name",
                paramLabel = "PATTERN",
                description = "Of the whole name: * and ? and [a-z] as in a shell, in quotes.")
        private @Nullable String name;

        @Option(names = "--owner", paramLabel = "USER", description = "A name or a uid.")
        private @Nullable String owner;

        @Option(names = "--group", paramLabel = "GROUP", description = "A name or a gid.")
        private @Nullable String group;

        @Option(
                names = "--below",
                paramLabel = "DIR",
                description = "Only for files in this directory and below.")
        private @Nullable String below;

        @Option(
                names = "--before",
                paramLabel = "ID",
                description = "The rule that it goes before; else it comes last.")
        private @Nullable Integer before;

        Map<String, Object> body(String storageClass, Changing changing) {
            if (name == null && owner == null && group == null) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "the rule is about all files; give --name, --owner or --group, or give"
                                + " the directory the class with 'cairn fs set --class "
                                + storageClass
                                + " DIR'");
            }
            Map<String, Object> body = new LinkedHashMap<>();
            body.put("class", storageClass);
            if (name != null) {
                body.put("name", name);
            }
            if (owner != null) {
                body.put("uid", NameService.uid(owner));
            }
            if (group != null) {
                body.put("gid", NameService.gid(group));
            }
            if (below != null) {
                body.put("below", ClusterPath.of(below).checked(changing).text());
            }
            if (before != null) {
                body.put("before", before);
            }
            return body;
        }
    }

    @Command(
            name = "list",
            description = "List the rules in their order, as without a command.",
            footer = "  cairn class rule list --json")
    @Calls("GET /class-rules")
    int list(@Mixin Reading listing) {
        return listing.list(ApiRequest.of("GET /class-rules"), COLUMNS);
    }

    @Command(
            name = "add",
            description = {
                "Choose a class for new files by name, owner and group; all that is given has to"
                        + " hold.",
                "Files that are there follow with 'cairn class apply DIR'."
            },
            footer = {
                "  cairn class rule add videos --name '*.mp4'",
                "  cairn class rule add videos --name '*.[mM][kK][vV]' --below /media",
                "  cairn class rule add scratch --group students --before 1 --plan"
            })
    @Calls({"POST /class-rules", "GET /files/{path}"})
    int add(
            @Parameters(paramLabel = "CLASS", description = "That it chooses.") String name,
            @Mixin Files files,
            @Mixin Changing changing) {
        Map<String, Object> body = files.body(name, changing);
        return changing.done(
                changing.apply(ApiRequest.of("POST /class-rules").body(body)),
                "new files that the rule is about get class " + name);
    }

    @Command(
            name = "remove",
            description = "Remove a rule; files that are there stay as they are.",
            footer = "  cairn class rule remove 2")
    @Calls("DELETE /class-rules/{id}")
    int remove(
            @Parameters(paramLabel = "ID", description = "Of the rule, as 'list' tells.") int id,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("DELETE /class-rules/{id}", String.valueOf(id))),
                "rule " + id + " is removed");
    }
}

package io.cairn.cli.fs;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn class keys}: the keys of classes that are encrypted at rest. */
@Command(
        name = "keys",
        description = {
            "Change and drop the keys of classes that are encrypted at rest.",
            "'cairn class show NAME' tells their numbers."
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "  cairn class keys rotate secret",
            "  cairn class apply /mnt/cairn/secret",
            "  cairn class keys drop-former secret",
            "  cairn class keys shred secret --plan"
        })
public final class ClassKeysCommand implements Callable<Integer> {
    private static final String NAME = "Of the class.";

    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE,
                "a command is missing: cairn class keys rotate, drop-former, rewrap or shred;"
                        + " see --help");
    }

    @Command(
            name = "rotate",
            description = {
                "Give a class another key. New files get it at once, others when 'cairn class apply"
                        + " DIR' on a mount moves their contents."
            },
            footer = "  cairn class keys rotate secret")
    @Calls("POST /classes/{name}/keys")
    int rotate(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("POST /classes/{name}/keys", name)),
                "class " + name + " has another key for new files");
    }

    @Command(
            name = "drop-former",
            description = "Drop the former keys of a class, when no file needs them any more.",
            footer = "  cairn class keys drop-former secret")
    @Calls("DELETE /classes/{name}/former-keys")
    int dropFormer(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("DELETE /classes/{name}/former-keys", name)),
                "the former keys of class " + name + " are dropped");
    }

    @Command(
            name = "rewrap",
            description = {
                "Encrypt the keys of all classes with the present master key.",
                "Files are not touched. Before this, start all masters and chunk servers with the"
                        + " new master key and --former-master-key-file."
            },
            footer = "  cairn class keys rewrap")
    @Calls("POST /class-keys/rewrap")
    int rewrap(@Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("POST /class-keys/rewrap")),
                "the keys of all classes are encrypted with the present master key");
    }

    @Command(
            name = "shred",
            description = {
                "Drop all keys of a class: nobody can read its files any more.",
                "This cannot be undone."
            },
            footer = {"  cairn class keys shred secret --plan", "  cairn class keys shred secret"})
    @Calls("DELETE /classes/{name}/keys")
    int shred(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("DELETE /classes/{name}/keys", name)),
                "the keys of class " + name + " are dropped, and its files lost");
    }
}

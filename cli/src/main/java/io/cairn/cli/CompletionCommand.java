package io.cairn.cli;

import io.cairn.node.ExitCode;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cairn completion}: a script that lets a shell complete commands and options. */
@Command(
        name = "completion",
        description = "Print a script that lets bash or zsh complete commands and options.",
        footer = {
            "  cairn completion bash > /etc/bash_completion.d/cairn",
            "  source <(cairn completion zsh)"
        })
final class CompletionCommand implements Callable<Integer> {
    @Spec private CommandSpec command = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "SHELL", description = "bash or zsh.")
    private Shell shell = Shell.BASH;

    /** Shells that can complete. */
    enum Shell {
        BASH,
        ZSH
    }

    @Override
    public Integer call() {
        CommandLine root = command.root().commandLine();
        if (shell == Shell.ZSH) {
            root.getOut().println("autoload -Uz compinit bashcompinit && compinit && bashcompinit");
        }
        root.getOut().print(AutoComplete.bash("cairn", root));
        root.getOut().flush();
        return ExitCode.OK;
    }
}

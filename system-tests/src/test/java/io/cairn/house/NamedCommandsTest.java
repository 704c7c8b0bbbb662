package io.cairn.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import io.cairn.cli.Cairn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Commands that messages and pages name are there, with the options that they are named with. */
final class NamedCommandsTest {
    /** Stands for what is known at run time only. */
    private static final String VALUE = "VALUE";

    /** In quotes or without; ends with the sentence, or with the shell's word. */
    private static final Pattern NAMED =
            Pattern.compile("(?<![\\w./-])('?)cairn ([^';,:()\"\\n|#>`\\\\]*)");

    private static final Pattern CODE = Pattern.compile("`([^`]*)`");

    /** But for what a service says of itself. */
    private static final Pattern WORD = Pattern.compile("(?!ready$)[a-z][a-z-]*");

    private final CommandSpec root = Cairn.commands().getCommandSpec();
    private final List<String> faults = new ArrayList<>();
    private int checked;

    /** String literals of a file, with those that are joined in one. */
    private static final class Texts extends TreeScanner<@Nullable Void, List<String>> {
        @Override
        public @Nullable Void visitBinary(BinaryTree node, List<String> found) {
            if (node.getKind() != Tree.Kind.PLUS) {
                return super.visitBinary(node, found);
            }
            StringBuilder text = new StringBuilder();
            join(node, text, found);
            found.add(text.toString());
            return null;
        }

        private void join(ExpressionTree node, StringBuilder text, List<String> found) {
            switch (node) {
                case BinaryTree sum when sum.getKind() == Tree.Kind.PLUS -> {
                    join(sum.getLeftOperand(), text, found);
                    join(sum.getRightOperand(), text, found);
                }
                case ParenthesizedTree inner -> join(inner.getExpression(), text, found);
                case LiteralTree literal when literal.getValue() instanceof String part ->
                        text.append(part);
                default -> {
                    text.append(VALUE);
                    scan(node, found);
                }
            }
        }

        @Override
        public @Nullable Void visitLiteral(LiteralTree node, List<String> found) {
            if (node.getValue() instanceof String text) {
                found.add(text);
            }
            return null;
        }
    }

    private static List<Path> sources(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : modules.toList()) {
                Path main = module.resolve("src/main/java");
                if (Files.isDirectory(main) && !module.endsWith("bench")) {
                    try (Stream<Path> files = Files.walk(main)) {
                        files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
                    }
                }
            }
        }
        return found;
    }

    private static boolean isOfInterest(Path file) {
        try {
            return Files.readString(file).contains("cairn ");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path repository() {
        return Path.of(Objects.requireNonNull(System.getProperty("cairn.root")));
    }

    @Test
    void messagesNameCommandsThatAreThere() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager =
                compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<Path> files =
                    sources(repository()).stream().filter(NamedCommandsTest::isOfInterest).toList();
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    manager,
                                    null,
                                    List.of("-proc:none"),
                                    null,
                                    manager.getJavaFileObjectsFromPaths(files));
            for (CompilationUnitTree unit : task.parse()) {
                List<String> texts = new ArrayList<>();
                new Texts().scan(unit, texts);
                texts.forEach(text -> check(unit.getSourceFile().getName(), text));
            }
        }
        assertEquals(List.of(), faults);
        assertTrue(checked > 250, checked + " commands");
    }

    @Test
    void pagesNameCommandsThatAreThere() throws IOException {
        for (Page page : Page.read(repository())) {
            for (String line : page.lines()) {
                List<String> codes =
                        new ArrayList<>(
                                CODE.matcher(line).results().map(code -> code.group(1)).toList());
                if (line.startsWith("    cairn ")) {
                    codes.add(line.strip());
                }
                codes.forEach(
                        code -> check(page.path().toString(), code.replaceAll("'[^']*'", VALUE)));
            }
        }
        assertEquals(List.of(), faults);
        assertTrue(checked > 150, checked + " commands");
    }

    private void check(String place, String text) {
        Matcher named = NAMED.matcher(text);
        while (named.find()) {
            checked++;
            String fault = fault(named.group(2), !named.group(1).isEmpty());
            if (fault != null) {
                faults.add(place + ": " + fault + " in: " + named.group());
            }
        }
    }

    /** Whatever follows the word without quotes may be a sentence about the product. */
    private @Nullable String fault(String words, boolean isQuoted) {
        CommandSpec at = root;
        boolean isValue = false;
        for (String each : words.strip().split("\\s+", -1)) {
            String word = each.replaceAll("^\\[|[].]+$", "");
            CommandLine next = at.subcommands().get(word);
            if (isValue) {
                isValue = false;
            } else if (word.startsWith("-") && word.length() > 1) {
                OptionSpec option = at.optionsMap().get(word.replaceFirst("=.*", ""));
                if (option == null && at.parent() != null) {
                    return "no option " + word;
                }
                isValue = option != null && option.arity().min() > 0 && !word.contains("=");
            } else if (next != null) {
                at = next.getCommandSpec();
            } else if (at.parent() == null) {
                return isQuoted && WORD.matcher(word).matches() ? "no command " + word : null;
            } else if (isGroup(at)) {
                return WORD.matcher(word).matches() ? "no command " + word : null;
            }
        }
        return null;
    }

    /** Whether it takes commands and nothing else. */
    private static boolean isGroup(CommandSpec command) {
        return !command.subcommands().isEmpty()
                && command.positionalParameters().isEmpty()
                && command.requiredArgs().isEmpty();
    }

    @Test
    void whatIsNotThereIsFound() {
        assertNull(fault("fs info --json FILE", false));
        assertNull(fault("is ready", false));
        assertNull(fault("fs set -r --replicas=2 VALUE", true));
        assertNull(fault("admin groups --state unavailable", true));
        assertNotNull(fault("is", true));
        assertNotNull(fault("fs shown", false));
        assertNotNull(fault("fs info --jason FILE", false));
        assertNotNull(fault("admin servers list", true));
    }
}

package io.cairn.house;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The Java sources of all modules: the files, the types and the methods they declare. Immutable.
 *
 * @param files every Java file of the main and test trees
 * @param types every declared type with a name
 * @param methods every method and constructor that is written out
 */
record SourceTree(List<SourceFile> files, List<Type> types, List<Method> methods) {

    /**
     * One file.
     *
     * @param path relative to the root of the repository
     * @param lines without line ends
     */
    record SourceFile(Path path, List<String> lines) {}

    /**
     * One declared type.
     *
     * @param place file and line, as {@code path:line}
     * @param name simple name
     */
    record Type(String place, String name) {}

    /**
     * One declared method.
     *
     * @param place file and line, as {@code path:line}
     * @param name simple name
     * @param lineCount from the first annotation or modifier to the closing brace
     * @param parameterCount declared parameters
     */
    record Method(String place, String name, int lineCount, int parameterCount) {}

    /**
     * Reads the sources of every module below {@code root}.
     *
     * @throws IOException if a file cannot be read or parsed
     */
    static SourceTree read(Path root) throws IOException {
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(root)) {
            for (Path module : modules) {
                paths.addAll(javaFiles(module.resolve("src/main/java")));
                paths.addAll(javaFiles(module.resolve("src/test/java")));
            }
        }
        SourceTree tree = new SourceTree(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (Path path : paths) {
            tree.files.add(
                    new SourceFile(
                            root.relativize(path),
                            Files.readAllLines(path, StandardCharsets.UTF_8)));
        }
        if (!paths.isEmpty()) {
            tree.parse(root, paths);
        }
        return new SourceTree(
                List.copyOf(tree.files), List.copyOf(tree.types), List.copyOf(tree.methods));
    }

    private static List<Path> javaFiles(Path tree) throws IOException {
        if (!Files.isDirectory(tree)) {
            return List.of();
        }
        try (Stream<Path> walk = Files.walk(tree)) {
            return walk.filter(path -> path.toString().endsWith(".java")).sorted().toList();
        }
    }

    /** Parses without resolving names: one or two milliseconds a file. */
    private void parse(Path root, List<Path> paths) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager sources =
                compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    sources,
                                    null,
                                    List.of("-proc:none"),
                                    null,
                                    sources.getJavaFileObjectsFromPaths(paths));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                Path path = root.relativize(Path.of(unit.getSourceFile().toUri()));
                new Declarations(unit, positions, path).scan(unit, null);
            }
        }
    }

    /** Collects the declarations of one file. */
    private final class Declarations extends TreeScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final LineMap lineMap;
        private final Path path;

        Declarations(CompilationUnitTree unit, SourcePositions positions, Path path) {
            this.unit = unit;
            this.positions = positions;
            this.lineMap = unit.getLineMap();
            this.path = path;
        }

        @Override
        public @Nullable Void visitClass(ClassTree node, @Nullable Void unused) {
            if (!node.getSimpleName().isEmpty()) {
                types.add(new Type(place(node), node.getSimpleName().toString()));
            }
            return super.visitClass(node, null);
        }

        @Override
        public @Nullable Void visitMethod(MethodTree node, @Nullable Void unused) {
            long first = lineMap.getLineNumber(positions.getStartPosition(unit, node));
            long last = lineMap.getLineNumber(positions.getEndPosition(unit, node));
            methods.add(
                    new Method(
                            place(node),
                            node.getName().toString(),
                            Math.toIntExact(last - first + 1),
                            node.getParameters().size()));
            return super.visitMethod(node, null);
        }

        private String place(Tree node) {
            return path + ":" + lineMap.getLineNumber(positions.getStartPosition(unit, node));
        }
    }
}

package io.cairn.testkit.contract;

import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Administration;
import io.cairn.testkit.posix.Posix;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of a filesystem: what POSIX.1-2024 and the Linux manual pages promise to programs,
 * one claim a case. A subclass gives the door; {@code package-info} shows one.
 *
 * <p>Cases that need what the door cannot express do not exist for it. Each case works in a
 * directory of its own, which is removed again when it has passed.
 */
public abstract class FileSystemContract {
    /** A file beside the directories of the cases, for {@link Scene#tick}. */
    static final String PROBE = "clock-probe";

    private static final List<Class<? extends Scene>> THEMES =
            List.of(
                    LookupCases.class,
                    OpenCases.class,
                    ReadWriteCases.class,
                    SparseCases.class,
                    HugeCases.class,
                    TruncateCases.class,
                    DirectoryCases.class,
                    LinkCases.class,
                    SymlinkCases.class,
                    RenameCases.class,
                    TimeCases.class,
                    PermissionCases.class,
                    OwnershipCases.class,
                    SpecialCases.class,
                    LayerCases.class,
                    XattrCases.class,
                    LockCases.class,
                    FlockCases.class,
                    LimitCases.class,
                    ConcurrencyCases.class,
                    FlagCases.class);

    /**
     * The door, a process of the superuser in an empty directory that every user can reach. Called
     * once a run; the suite closes it.
     */
    protected abstract Posix door() throws Exception;

    /**
     * Who orders quotas, snapshots and the trash behind the door; null where there is nothing like
     * that, and the cases about these do not exist. Called after {@link #door}.
     */
    protected @Nullable Administration administration() {
        return null;
    }

    /** Whether only the cases with an administration are run. */
    protected boolean runsAdministeredAlone() {
        return false;
    }

    /** All cases that this door can express, by theme. */
    @TestFactory
    Stream<DynamicContainer> contract() throws Exception {
        Posix door = door();
        door.create(PROBE, 0600);
        Administration orders = administration();
        List<Class<? extends Scene>> themes =
                new ArrayList<>(runsAdministeredAlone() ? List.of() : THEMES);
        if (orders != null) {
            themes.add(AdministeredCases.class);
        }
        return Stream.concat(
                themes.stream().map(theme -> container(theme, door, orders)),
                Stream.of(
                        DynamicContainer.dynamicContainer(
                                "end",
                                List.of(DynamicTest.dynamicTest("the door closes", door::close)))));
    }

    private static DynamicContainer container(
            Class<? extends Scene> theme, Posix door, @Nullable Administration orders) {
        String name = theme.getSimpleName().replaceAll("Cases$", "");
        Stream<DynamicTest> tests =
                cases(theme)
                        .filter(method -> exists(method.getAnnotation(Scene.Case.class), door))
                        .map(
                                method ->
                                        DynamicTest.dynamicTest(
                                                method.getName(),
                                                () -> run(theme, method, door, orders)));
        return DynamicContainer.dynamicContainer(name, tests);
    }

    private static Stream<Method> cases(Class<? extends Scene> theme) {
        return Arrays.stream(theme.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Scene.Case.class))
                .sorted(Comparator.comparing(Method::getName));
    }

    private static boolean exists(Scene.Case terms, Posix door) {
        return door.capabilities().containsAll(Arrays.asList(terms.needs()))
                && (!terms.reachesLinkMax() || door.reachableLinks() > 0);
    }

    private static void run(
            Class<? extends Scene> theme,
            Method method,
            Posix door,
            @Nullable Administration orders)
            throws Exception {
        String directory = theme.getSimpleName() + "-" + method.getName();
        door.mkdir(directory, 0777);
        door.chmod(directory, 0777);
        try (Posix process = door.process(directory)) {
            Scene scene =
                    theme == AdministeredCases.class && orders != null
                            ? new AdministeredCases(process, orders)
                            : theme.getDeclaredConstructor(Posix.class).newInstance(process);
            method.invoke(scene);
            clear(process, ".");
        } catch (InvocationTargetException e) {
            throw new AssertionError(directory + ": " + e.getCause(), e.getCause());
        }
        door.rmdir(directory);
    }

    /** Removes everything in a directory. */
    public static void clear(Posix fs, String path) {
        for (String name : fs.list(path)) {
            String child = path.equals(".") ? name : path + "/" + name;
            if (fs.lstat(child).type() == FileType.DIRECTORY) {
                clear(fs, child);
                fs.rmdir(child);
            } else {
                fs.unlink(child);
            }
        }
    }
}

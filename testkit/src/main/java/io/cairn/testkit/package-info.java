/**
 * The test kit: what proves a filesystem.
 *
 * <p>{@link io.cairn.testkit.model.ModelFileSystem} is the reference: a whole filesystem in memory,
 * as simple as it can be written. {@link io.cairn.testkit.posix.Posix} is the door through which
 * tests speak to a filesystem, in system calls: {@link io.cairn.testkit.posix.SeamPosix} opens it
 * over any {@link io.cairn.fs.FileSystem} (the model, the client in this JVM), {@link
 * io.cairn.testkit.posix.NativePosix} over a directory of the real Linux (a local disk, a mount).
 * {@link io.cairn.testkit.contract.FileSystemContract} is the suite: the same cases through every
 * door. It is run against tmpfs and the local disk too, so that what it claims about Linux is true.
 * {@link io.cairn.testkit.fuzz.PosixFuzz} runs one random sequence of calls through two doors and
 * compares every result and the trees they leave.
 *
 * <h2>A new door</h2>
 *
 * The module depends on {@code cairn-testkit} with scope {@code test}. One class runs the whole
 * suite; what the door cannot express is left out of its capabilities, and the cases that need it
 * do not exist for it:
 *
 * <pre>{@code
 * final class MountContractTest extends FileSystemContract {
 *     private @Nullable Mount mount;
 *
 *     @Override
 *     protected Posix door() throws IOException {
 *         Path point = Files.createTempDirectory("mount"); // everybody must be able to reach it
 *         mount = Mount.of(new ModelFileSystem(Clock.system()), point);
 *         Set<Posix.Capability> able =
 *                 EnumSet.complementOf(
 *                         EnumSet.of(
 *                                 Posix.Capability.RENAME_FLAGS, // not forwarded by libfuse 2
 *                                 Posix.Capability.SEEK_HOLES));
 *         return new NativePosix(point, able, 0);
 *     }
 *
 *     @AfterEach
 *     void unmount() {
 *         if (mount != null) {
 *             mount.close();
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>A client in the same JVM needs {@code new SeamPosix(client, SeamPosix.SeamLimits.all(0))}
 * instead. Random sequences take two doors and a list of steps; see {@code PosixFuzzTest}.
 *
 * <p>{@link io.cairn.testkit.posix.Posix#as} needs the superuser for real doors: the thread that
 * makes the call takes on the credentials of the other user around it. A {@link
 * io.cairn.testkit.posix.Posix#process} of a real door is a thread with a table of descriptors of
 * its own, which is what Linux takes for the owner of fcntl locks. Java class loading on such
 * threads is safe as long as classes come from directories and jars that were open before.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.testkit;

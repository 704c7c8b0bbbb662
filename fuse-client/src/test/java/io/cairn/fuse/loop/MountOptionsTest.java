package io.cairn.fuse.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.fuse.sys.MountException;
import io.cairn.fuse.sys.MountException.Category;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MountOptionsTest {
    @Test
    void standardOfRoot() {
        assertEquals(
                new MountOptions(
                        DriverKind.KERNEL,
                        false,
                        true,
                        false,
                        false,
                        MountOptions.CHOICE_OF_DRIVER,
                        1000,
                        64,
                        64,
                        1024,
                        MountOptions.WITHOUT_LIMIT,
                        true,
                        MountOptions.Names.DELEGATED,
                        "cairn",
                        List.of("nodev", "nosuid")),
                MountOptions.standard());
    }

    @Test
    void emptyTextIsTheStandard() {
        assertEquals(MountOptions.standard(), MountOptions.parse(""));
    }

    @Test
    void aLoginIsForOthersAndAPasswordForNobody() {
        String text = "user=alice,ro,ca=/c,credentials=/a\\,b,user=bob,username";
        assertEquals("bob", MountOptions.value(text, "user"));
        assertEquals("/a,b", MountOptions.value(text, "credentials"));
        assertNull(MountOptions.value(text, "username"));
        assertNull(MountOptions.value("user", "user"));
        assertEquals(MountOptions.standard().withReadOnly(true), MountOptions.parse(text));
        for (String secret : List.of("password=correct horse", "pass=correct horse")) {
            MountException e = assertThrows(MountException.class, () -> MountOptions.parse(secret));
            String message = String.valueOf(e.getMessage());
            assertTrue(message.contains("credentials=FILE"), message);
            assertFalse(message.contains("horse"), message);
        }
    }

    @Test
    void everyOptionIsRead() {
        MountOptions options =
                MountOptions.parse(
                        "ro,noallow_other,nonempty,acl,driver=jnr,attr_timeout=0.5,entry_timeout=2,"
                                + "max_background=12,threads=3,read_ahead_kb=256,"
                                + "fsname=a:1\\,b:2/x,noexec,suid,direct=off,names=delegated,soft,"
                                + "timeout=1.5");
        assertEquals(
                new MountOptions(
                        DriverKind.JNR,
                        true,
                        false,
                        true,
                        true,
                        500,
                        2000,
                        12,
                        3,
                        256,
                        1500,
                        false,
                        MountOptions.Names.DELEGATED,
                        "a:1,b:2/x",
                        List.of("nodev", "noexec", "suid")),
                options);
        assertFalse(MountOptions.parse("ro,rw").readOnly());
        assertEquals(MountOptions.Names.ASYNC, MountOptions.parse("names=async").names());
        assertEquals(MountOptions.Names.SYNC, MountOptions.parse("names=async,names=sync").names());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "defaults,_netdev,nofail,noauto,x-systemd.automount,X-mount.mkdir,comment=a",
                "user,users,nouser,nousers,owner,noowner,group,nogroup,user=alice",
                "relatime,norelatime,strictatime,nostrictatime,lazytime,nolazytime,silent,loud",
                "diratime,nodiratime,iversion,noiversion,mand,nomand,intr,hard"
            })
    void whatFstabPassesAlongIsIgnored(String text) {
        assertEquals(MountOptions.standard(), MountOptions.parse(text));
    }

    @Test
    void whatTheKernelKnowsIsPassedToIt() {
        String flags = "dirsync,noatime,nosymfollow";
        assertTrue(
                MountOptions.parse(flags)
                        .kernelFlags()
                        .containsAll(List.of("dirsync", "noatime", "nosymfollow")));
        assertFalse(
                MountOptions.parse("nosymfollow,symfollow").kernelFlags().contains("nosymfollow"));
    }

    @Test
    void setUidProgramsAndDevicesCountOnlyWhenAskedFor() {
        assertEquals(List.of("nodev", "nosuid"), MountOptions.standard().kernelFlags());
        assertEquals(List.of("suid", "dev"), MountOptions.parse("suid,dev").kernelFlags());
        assertEquals(List.of("dev", "nosuid"), MountOptions.parse("suid,dev,nosuid").kernelFlags());
    }

    @Test
    void aCommaWithinQuotesBelongsToTheValue() {
        assertEquals(
                List.of("nodev", "nosuid", "noexec"),
                MountOptions.parse("x-label=\"a,dev\",noexec").kernelFlags());
    }

    @Test
    void theKernelIsAskedForNoLabelsThatItDoesNotKnow() {
        boolean selinux = Files.exists(Path.of("/sys/fs/selinux/enforce"));
        List<String> words =
                FuseArguments.common(MountOptions.parse("context=\"system_u:a:b:c0,c1\""));
        assertEquals(selinux, words.contains("context=\"system_u:a:b:c0\\,c1\""), words::toString);
    }

    @Test
    void aSoftMountGivesUpAfterAMinuteUnlessTold() {
        assertEquals(MountOptions.WITHOUT_LIMIT, MountOptions.parse("").waitLimitMs());
        assertEquals(60_000, MountOptions.parse("soft").waitLimitMs());
        assertEquals(5_000, MountOptions.parse("timeout=5,soft").waitLimitMs());
        assertEquals(MountOptions.WITHOUT_LIMIT, MountOptions.parse("soft,hard").waitLimitMs());
        MountException e =
                assertThrows(MountException.class, () -> MountOptions.parse("timeout=5"));
        assertTrue(String.valueOf(e.getMessage()).contains("'soft'"), e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "atr_timeout=1,attr_timeout",
        "nonempt,nonempty",
        "allow-other,allow_other",
        "dirver=jnr,driver"
    })
    void unknownOptionIsRefusedWithAHint(String text, String hint) {
        MountException e = assertThrows(MountException.class, () -> MountOptions.parse(text));
        assertEquals(Category.USAGE, e.category());
        assertTrue(
                String.valueOf(e.getMessage()).contains("did you mean '" + hint + "'"),
                e.getMessage());
    }

    @Test
    void strangeOptionIsRefusedWithAList() {
        MountException e =
                assertThrows(MountException.class, () -> MountOptions.parse("quux_fuzzle=1"));
        assertTrue(String.valueOf(e.getMessage()).contains("known are "), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "driver=fast",
                "attr_timeout=-1",
                "attr_timeout=soon",
                "entry_timeout=86401",
                "max_background=0",
                "threads=0",
                "threads=1025",
                "read_ahead_kb=x",
                "timeout=0",
                "timeout=x",
            })
    void badValueIsRefused(String text) {
        MountException e = assertThrows(MountException.class, () -> MountOptions.parse(text));
        assertEquals(64, e.category().exitCode());
        String name = text.substring(0, text.indexOf('='));
        assertTrue(String.valueOf(e.getMessage()).startsWith(name), e.getMessage());
    }
}

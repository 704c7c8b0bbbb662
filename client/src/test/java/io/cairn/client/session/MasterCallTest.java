package io.cairn.client.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.TreeMutation;
import org.junit.jupiter.api.Test;

final class MasterCallTest {
    private static final Mutation UNNAMED =
            new TreeMutation.CreateUnnamed(FileSystem.ROOT_INO, 0600, 0, 0, true);

    private static void assertOpens(boolean opens, Mutation mutation) {
        assertEquals(opens, new MasterCall(mutation, null, 0, 0).opens(), mutation.toString());
    }

    @Test
    void aNewLeaderIsToldOfAllThatIsOpen() {
        assertOpens(true, UNNAMED);
        assertOpens(true, new TreeMutation.Witnessed(UNNAMED));
        assertOpens(false, new TreeMutation.Rmdir(FileSystem.ROOT_INO, Name.of("d")));
    }
}

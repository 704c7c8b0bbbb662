package io.cairn.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LabelsTest {
    @Test
    void labelsAreReadAndWrittenAsOperatorsSayThem() {
        Labels labels = Labels.parse(List.of("zone=eu/1", "rack=r1", "owner=a_b.c-d"));
        assertEquals("r1", labels.get(Labels.RACK));
        assertEquals("owner=a_b.c-d rack=r1 zone=eu/1", labels.toString());
        assertEquals(Labels.NONE, Labels.parse(List.of()));
    }

    private static void assertRefused(String why, String... labels) {
        IllegalArgumentException refusal =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Labels.parse(List.of(labels)),
                        () -> "label " + List.of(labels));
        String message = String.valueOf(refusal.getMessage());
        assertTrue(message.contains(why), message);
        assertTrue(message.contains("'" + labels[labels.length - 1].split("=", 2)[0]), message);
    }

    @Test
    void aTypingErrorIsRefusedWithWhatWasMeant() {
        for (String near : List.of("rak", "racks", "Rack", "RACK", "rock", "rac", "rackk")) {
            assertRefused("did you mean rack=r1?", near + "=r1");
        }
        for (String near : List.of("zon", "Zone", "zones", "xone")) {
            assertRefused("did you mean zone=z?", near + "=z");
        }
        assertEquals("row=3", Labels.parse(List.of("row=3")).toString());
    }

    @Test
    void whatIsNoLabelIsRefused() {
        String form = "is not KEY=VALUE, as in rack=r1";
        for (String wrong : List.of("rack", "rack:r1", "", "=", "=r1", "rack=", "rack=a b")) {
            assertRefused(form, wrong);
        }
        assertRefused(form, "rack=" + "x".repeat(64));
        assertRefused(form, "rack=r\u00e4ck");
        assertRefused("is given twice: r1 and r2", "rack=r1", "rack=r2");
        assertThrows(
                IllegalArgumentException.class,
                () -> Labels.parse(List.of("a1=1", "b1=1", "c1=1", "d1=1", "e1=1")));
    }

    private static boolean admits(String expression, String... labels) {
        return Labels.Expression.parse(expression).admits(Labels.parse(List.of(labels)));
    }

    @Test
    void anExpressionAdmitsServersForWhichAllTermsHold() {
        assertTrue(admits("disk=ssd", "disk=ssd", "rack=r1"));
        assertFalse(admits("disk=ssd", "disk=hdd"));
        assertFalse(admits("disk=ssd"));
        assertTrue(admits("disk", "disk=hdd"));
        assertTrue(admits("!disk", "rack=r1"));
        assertFalse(admits("disk=ssd,!rack=r1", "disk=ssd", "rack=r1"));
        assertTrue(admits("disk=ssd, !rack=r1", "disk=ssd", "rack=r2"));
        assertTrue(admits("any"));
    }

    @Test
    void severalListsAreForOneCopyEach() {
        Labels.Expression rooms = Labels.Expression.parse("room=a,disk=ssd ;any; room=b");
        assertEquals("disk=ssd,room=a; any; room=b", rooms.text());
        assertEquals(rooms, Labels.Expression.parse(rooms.text()));
        assertTrue(rooms.isPerCopy());
        assertEquals(0b011, rooms.fitting(Labels.parse(List.of("room=a", "disk=ssd"))));
        assertEquals(0b010, rooms.fitting(Labels.NONE));
        assertEquals("disk=ssd,room=a", rooms.ofCopies(1).text());
        assertFalse(rooms.ofCopies(1).isPerCopy());
        assertEquals("disk=ssd,room=a; any; room=b; any", rooms.ofCopies(4).text());
        assertTrue(admits("room=a; room=b", "room=b"));
        assertFalse(admits("room=a; room=b", "room=c"));
        assertEquals(Labels.Expression.ANY, Labels.Expression.parse("any; any"));
        Labels.Expression all = Labels.Expression.parse("room=a");
        assertEquals(all, all.ofCopies(3), "one list is for all copies");
    }

    @Test
    void expressionsAreTheSameWhateverTheOrderOfTheirTerms() {
        Labels.Expression one = Labels.Expression.parse("disk=ssd, !rack=r1");
        assertEquals("!rack=r1,disk=ssd", one.text());
        assertEquals(one, Labels.Expression.parse("!rack=r1,disk=ssd,disk=ssd"));
        assertEquals(Labels.Expression.ANY, Labels.Expression.parse(" any "));
        assertEquals(Labels.Expression.ANY, Labels.Expression.UNSAID.orAny());
        assertNull(Labels.Expression.UNSAID.said());
    }

    @Test
    void aTypingErrorInAnExpressionIsRefusedWithItsPlace() {
        for (String[] each :
                new String[][] {
                    {"", "character 1: ''"},
                    {"disk=ssd,", "character 10: ''"},
                    {"disk=ssd;", "character 10: ''"},
                    {"disk=ssd; ;rack", "character 11: ''"},
                    {"disk=ssd; rack=r1, =x", "character 20: '=x'"},
                    {"a;".repeat(15) + "a", "16 copies: 15 at most"},
                    {"rack=r1, =x", "character 10: '=x'"},
                    {"rack=r1,!!disk", "character 9: '!!disk'"},
                    {"a b", "character 1: 'a b'"},
                    {"a,b,c,d,e,f,g,h,i", "9 terms: 8 at most"}
                }) {
            IllegalArgumentException refusal =
                    assertThrows(
                            IllegalArgumentException.class, () -> Labels.Expression.parse(each[0]));
            String message = String.valueOf(refusal.getMessage());
            assertTrue(message.contains(each[1]), message);
        }
    }
}

package io.cairn.wire;

import io.cairn.cluster.Labels;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Redundancy;
import io.cairn.fs.Acl;
import io.cairn.fs.Acls;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Name;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.TreeMutation;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Makes random records of any type of the vocabulary, by the types of their components, so that a
 * message added later is tested without a line here.
 */
public final class RandomRecords {
    private static final long[] EDGES = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 4096, 255};
    private static final int MAX_ELEMENTS = 4;

    private final Random random;

    public RandomRecords(Random random) {
        this.random = random;
    }

    /** All records that implement a sealed interface, at any depth. */
    public static List<Class<?>> leavesOf(Class<?> sealed) {
        List<Class<?>> leaves = new ArrayList<>();
        for (Class<?> permitted : sealed.getPermittedSubclasses()) {
            if (permitted.isInterface()) {
                leaves.addAll(leavesOf(permitted));
            } else {
                leaves.add(permitted);
            }
        }
        return leaves;
    }

    /** A random value of a record class. */
    public <T> T of(Class<T> record) {
        RecordComponent[] components = record.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] values = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = component(components[i]);
        }
        try {
            Constructor<T> constructor = record.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(record.getName(), e);
        }
    }

    private @Nullable Object component(RecordComponent component) {
        AnnotatedType annotated = component.getAnnotatedType();
        if (annotated.isAnnotationPresent(Nullable.class) && random.nextInt(3) == 0) {
            return null;
        }
        return switch (component.getName()) {
            case "id" ->
                    component.getType() == int.class
                            ? 1 + random.nextInt(Integer.MAX_VALUE)
                            : value(component.getType(), component.getGenericType());
            case "chunkSizeLog2" -> 16 + random.nextInt(11);
            case "replicas" -> random.nextInt(16);
            case "inlineBytes" -> Policy.UNSAID_INLINE;
            case "compression" -> Compression.CODES.all().get(1 + random.nextInt(3));
            case "key" ->
                    component.getType() == int.class
                            ? random.nextInt(4)
                            : value(component.getType(), component.getGenericType());
            case "firstChunk" -> number() & Long.MAX_VALUE;
            case "runs" -> atLeastOne(component.getGenericType());
            default -> value(component.getType(), component.getGenericType());
        };
    }

    private List<?> atLeastOne(Type type) {
        while (true) {
            List<?> list = list(type);
            if (!list.isEmpty()) {
                return list;
            }
        }
    }

    private Object value(Class<?> type, Type generic) {
        if (type == long.class || type == Long.class) {
            return number();
        } else if (type == int.class || type == Integer.class) {
            return (int) number();
        } else if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == byte[].class) {
            return bytes();
        } else if (type == ByteBuffer.class) {
            return ByteBuffer.wrap(bytes());
        } else if (type.isArray()) {
            return array(type.getComponentType());
        } else if (type == String.class) {
            return random.nextBoolean() ? "" : "z\u00e4h\u8a9e\ud83d\ude00 " + random.nextInt();
        } else if (type == Name.class) {
            return name();
        } else if (type.isEnum()) {
            Object[] constants = type.getEnumConstants();
            return constants[random.nextInt(constants.length)];
        } else if (type == List.class) {
            return list(generic);
        }
        if (type == Ticket.class) {
            return new Ticket(Arrays.copyOf(bytes(), random.nextInt(2) * 16));
        }
        if (type == Redundancy.class) {
            return new Redundancy.Copies((int) number());
        }
        if (type == Labels.class) {
            return Labels.parse(
                    List.of("rack=r" + random.nextInt(9), "owner=o" + random.nextInt(9))
                            .subList(0, random.nextInt(3)));
        }
        if (type == Labels.Expression.class) {
            return expression();
        }
        if (type == Acls.class) {
            return new Acls(
                    random.nextBoolean() ? null : acl(), random.nextBoolean() ? null : acl());
        }
        if (type == AttributeChange.class) {
            AttributeChange change = of(AttributeChange.class);
            // A guard without its bit does not travel, nor do flags.
            return change.without(~change.mask() & (AttributeChange.GUARD | AttributeChange.FLAGS));
        }
        if (type == Mutation.class) {
            return random.nextBoolean()
                    ? of(TreeMutation.Rename.class)
                    : of(TreeMutation.SetAttributes.class);
        }
        if (type == ChunkRequest.class) {
            return random.nextBoolean()
                    ? of(ChunkRequest.Write.class)
                    : of(ChunkRequest.Flush.class);
        }
        return of(type);
    }

    private Labels.Expression expression() {
        String more = random.nextInt(3) == 0 ? "; rack=r2" : "";
        return random.nextBoolean()
                ? Labels.Expression.ANY
                : Labels.Expression.parse("disk=d" + random.nextInt(9) + ",!rack=r1" + more);
    }

    private Acl acl() {
        List<Acl.Entry> entries = new ArrayList<>(Acl.ofMode(random.nextInt(0777)).entries());
        for (int i = random.nextInt(MAX_ELEMENTS); i > 0; i--) {
            entries.add(new Acl.Entry(Acl.Tag.USER, random.nextInt(8), i * 1000));
        }
        entries.add(new Acl.Entry(Acl.Tag.MASK, random.nextInt(8), 0));
        return Acl.of(entries);
    }

    private long number() {
        return switch (random.nextInt(3)) {
            case 0 -> EDGES[random.nextInt(EDGES.length)];
            case 1 -> random.nextInt(100_000);
            default -> random.nextLong();
        };
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(5000) : random.nextInt(9)];
        random.nextBytes(bytes);
        return bytes;
    }

    private Object array(Class<?> element) {
        Object array = Array.newInstance(element, random.nextInt(MAX_ELEMENTS));
        for (int i = 0; i < Array.getLength(array); i++) {
            Array.set(array, i, value(element, element));
        }
        return array;
    }

    private Name name() {
        byte[] bytes = new byte[1 + random.nextInt(random.nextBoolean() ? 8 : Name.MAX_BYTES)];
        random.nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0 || bytes[i] == '/' || bytes[i] == '.') {
                bytes[i] = 'x';
            }
        }
        return Name.of(bytes);
    }

    private List<?> list(Type generic) {
        Type element = ((ParameterizedType) generic).getActualTypeArguments()[0];
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(MAX_ELEMENTS); i > 0; i--) {
            list.add(value((Class<?>) element, element));
        }
        return list;
    }

    /** Equality that looks into arrays. */
    static boolean same(@Nullable Object one, @Nullable Object other) {
        if (one == null || other == null) {
            return one == null && other == null;
        }
        if (one.getClass().isArray()) {
            return Arrays.deepEquals(new Object[] {one}, new Object[] {other});
        }
        if (one instanceof List<?> list) {
            return other instanceof List<?> others && sameElements(list, others);
        }
        if (one instanceof Record record) {
            return other.getClass() == one.getClass() && sameComponents(record, (Record) other);
        }
        return one.equals(other);
    }

    private static boolean sameElements(List<?> list, List<?> others) {
        boolean same = list.size() == others.size();
        for (int i = 0; same && i < list.size(); i++) {
            same = same(list.get(i), others.get(i));
        }
        return same;
    }

    private static boolean sameComponents(Record one, Record other) {
        for (RecordComponent component : one.getClass().getRecordComponents()) {
            try {
                component.getAccessor().setAccessible(true);
                if (!same(
                        component.getAccessor().invoke(one),
                        component.getAccessor().invoke(other))) {
                    return false;
                }
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("a record without accessors", e);
            }
        }
        return true;
    }
}

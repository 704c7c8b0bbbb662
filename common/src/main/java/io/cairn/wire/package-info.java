/**
 * Everything that is said between the services, and its encoding. A message is a record with {@code
 * encode} beside its {@code decode}; a request begins with its type code, so that a log entry, a
 * frame and a stored reply hold the very same bytes. Numbers are big-endian; counts and lengths are
 * bounded by {@link io.cairn.wire.Limits} before anything is allocated.
 *
 * <p>Later additions belong to a younger version ({@link io.cairn.wire.ProtocolRange}). Say a
 * record of version 1 gets a field with version 2:
 *
 * <pre>
 *   void encode(Encoder out) {
 *       out.i64(old);
 *       if (out.version() &gt;= 2) {
 *           out.i64(young);
 *       }
 *   }
 *
 *   static Some decode(Decoder in) {
 *       return new Some(in.i64(), in.version() &gt;= 2 ? in.i64() : DEFAULT);
 *   }
 * </pre>
 *
 * A new kind of message gets a code of its own and is sent only where the connection speaks its
 * version. A new mutation is sent only in an {@link io.cairn.wire.master.Envelope} of its version,
 * so never before the level of the cluster is as high. Bytes of an older version can be read as
 * long as {@code ProtocolRange.OURS.oldest()} includes it. Logs and stored replies keep them longer
 * than connections do, so the oldest version rises only when no master can have such entries any
 * more.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.wire;

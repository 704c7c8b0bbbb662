package io.cairn.wire;

/**
 * A request that changes the replicated state. It travels and is logged inside an {@link Envelope},
 * which adds session, sequence number and time, and is executed by the namespace in log order.
 */
public sealed interface Mutation
        permits TreeMutation, ContentMutation, SessionMutation, HostMutation, LeaderMutation {
    /** The type code: first byte of the encoding. Never reused. */
    int code();

    /** Writes the fields, without the code. */
    void encode(Encoder out);

    /** About how many bytes the fields take; the exact number saves a copy. */
    default int expectedBytes() {
        return Encoder.EXPECTED_BYTES;
    }

    /** Reads code and fields. */
    static Mutation decode(Decoder in) {
        return decode(in.u8(), in);
    }

    /** Reads the fields of a mutation whose code was read. */
    static Mutation decode(int code, Decoder in) {
        return switch (code) {
            case 1 -> TreeMutation.Create.decode(in);
            case 2 -> TreeMutation.Mkdir.decode(in);
            case 3 -> TreeMutation.Symlink.decode(in);
            case 4 -> TreeMutation.Link.decode(in);
            case 5 -> TreeMutation.Unlink.decode(in);
            case 6 -> TreeMutation.Rmdir.decode(in);
            case 7 -> TreeMutation.Rename.decode(in);
            case 8 -> TreeMutation.SetAttributes.decode(in);
            case 9 -> ContentMutation.WriteInline.decode(in);
            case 10 -> ContentMutation.CommitSize.decode(in);
            case 11 -> ContentMutation.Spill.decode(in);
            case 12 -> ContentMutation.CloneDone.decode(in);
            case 13 -> TreeMutation.SetXattr.decode(in);
            case 14 -> TreeMutation.RemoveXattr.decode(in);
            case 15 -> SessionMutation.SetLock.decode(in);
            case 16 -> SessionMutation.CancelLock.decode(in);
            case 17 -> SessionMutation.ReleaseLocks.decode(in);
            case 18 -> TreeMutation.SetPolicy.decode(in);
            case 19 -> ContentMutation.SwapContents.decode(in);
            case 20 -> ContentMutation.RenewTail.decode(in);
            case 22 -> TreeMutation.ReplaceXattr.decode(in);
            case 21 -> TreeMutation.Witnessed.decode(in);
            case 27 -> TreeMutation.CreateUnnamed.decode(in);
            case 32 -> SessionMutation.OpenSession.decode(in);
            case 33 -> SessionMutation.CloseSession.decode(in);
            case 34 -> LeaderMutation.Purge.decode(in);
            case 35 -> LeaderMutation.Collected.decode(in);
            case 36 -> LeaderMutation.ChangeMap.decode(in);
            case 37 -> LeaderMutation.Found.decode(in);
            case 38 -> new LeaderMutation.DoubtObjects();
            case 39 -> LeaderMutation.ChangeRecords.decode(in);
            case 40 -> LeaderMutation.ChangeSettings.decode(in);
            case 41 -> LeaderMutation.LoseSession.decode(in);
            case 42 -> LeaderMutation.RenewObjects.decode(in);
            case 43 -> LeaderMutation.RaiseLevel.decode(in);
            case 64 -> JobMutation.Submit.decode(in);
            case 65 -> JobMutation.Control.decode(in);
            case 66 -> JobMutation.Step.decode(in);
            case 67 -> JobMutation.EditInode.decode(in);
            case 48 -> HostMutation.SetHostLock.decode(in);
            case 49 -> HostMutation.CancelHostLock.decode(in);
            case 50 -> HostMutation.ReleaseHost.decode(in);
            case 51 -> new HostMutation.TakeNotifyState();
            default -> throw new MalformedMessageException("mutation code " + code);
        };
    }
}

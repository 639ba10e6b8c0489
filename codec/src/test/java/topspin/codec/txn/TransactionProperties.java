package topspin.codec.txn;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import topspin.codec.Samples;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockEncoder;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

/** What holds of every transaction and block. Seeds are drawn, and make {@link Samples}. */
class TransactionProperties {
    private final TransactionDecoder decoder = new TransactionDecoder();
    private final BlockDecoder blocks = new BlockDecoder();

    @Property(tries = 2000)
    void aTransactionComesBackAsItWas(@ForAll long seed) throws MalformedMessage {
        Transaction txn = new Samples(seed).transaction();
        byte[] bytes = TransactionEncoder.encode(txn);
        Transaction decoded = decoder.decodeTransaction(bytes, 0, bytes.length);
        assertThat(decoded).isEqualTo(txn);
        assertThat(TransactionEncoder.encode(decoded)).isEqualTo(bytes);
        assertThat(TxIdHasher.perThread().hash(decoded))
                .isEqualTo(TxIdHasher.perThread().hash(bytes, 0, bytes.length));
    }

    @Property(tries = 1000)
    void aSignedTransactionComesBackAsItWas(@ForAll long seed) throws MalformedMessage {
        SignedTransaction signed = new Samples(seed).authorized();
        byte[] bytes = signed.toBytes();
        SignedTransaction decoded = decoder.decodeSigned(bytes, 0, bytes.length);
        assertThat(decoded).isEqualTo(signed);
        assertThat(decoded.txn()).isEqualTo(signed.txn());
        assertThat(rebuilt(decoded)).isEqualTo(bytes);
    }

    @Property(tries = 1000)
    void ourBytesAreWhatASecondImplementationWrites(@ForAll long seed) {
        byte[] signed = new Samples(seed).authorized().toBytes();
        assertThat(MessagePackOracle.canonical(signed)).isEqualTo(signed);
        byte[] inBlock = new Samples(seed).blockTransaction().encoding().toArray();
        assertThat(MessagePackOracle.canonical(inBlock)).isEqualTo(inBlock);
    }

    @Property(tries = 500)
    void aBlockGivesBackWhatWasPutIn(@ForAll long seed) throws MalformedMessage {
        var samples = new Samples(seed);
        BlockTransaction put = samples.blockTransaction();
        byte[] bytes = put.encoding().toArray();
        var in = new MsgpackReader().reset(bytes, 0, bytes.length);
        BlockTransaction got =
                new BlockTransactionDecoder(in).read(Samples.GENESIS_ID, put.txn().genesisHash());
        assertThat(in.atEnd()).isTrue();
        assertThat(got.applied()).isEqualTo(put.applied());
        assertThat(got.signed().id()).isEqualTo(put.signed().id());
        assertThat(got).isEqualTo(put);
    }

    @Property(tries = 200)
    void aBlockComesBackAsItWas(@ForAll long seed) throws MalformedMessage {
        Block block = new Samples(seed).block(Math.floorMod(seed, 4));
        byte[] bytes = BlockEncoder.encodeBlock(block);
        assertThat(blocks.decodeBlock(bytes)).isEqualTo(block);
        assertThat(MessagePackOracle.canonical(bytes)).isEqualTo(bytes);
    }

    /** Puts the parts together anew: nothing may be lost between the bytes and the records. */
    private static byte[] rebuilt(SignedTransaction signed) {
        return SignedTransaction.of(
                        signed.txn(),
                        signed.signature(),
                        signed.multisig(),
                        signed.logicSignature(),
                        signed.pqSignature(),
                        signed.signer())
                .toBytes();
    }
}

package topspin.node.rest;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.txn.AssetParams;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;

/** Assets and holdings as REST shows them (rest.md section 3). */
final class AssetForm {
    private AssetForm() {}

    /** The parameters of an asset, names in text where they are text, and always in base64. */
    static void params(AssetRecord asset, JsonWriter json) {
        AssetParams params = asset.params();
        json.beginObject();
        address("clawback", params.clawback(), json);
        json.name("creator").string(asset.creator().toString());
        json.name("decimals").uint(params.decimals());
        json.name("default-frozen").bool(params.defaultFrozen());
        address("freeze", params.freeze(), json);
        address("manager", params.manager(), json);
        if (!params.metadataHash().isZero()) {
            json.name("metadata-hash").base64(params.metadataHash().toBytes());
        }
        text("name", "name-b64", params.name(), json);
        address("reserve", params.reserve(), json);
        json.name("total").uint(params.total());
        text("unit-name", "unit-name-b64", params.unitName(), json);
        text("url", "url-b64", params.url(), json);
        json.endObject();
    }

    static void holding(long asset, Holding holding, JsonWriter json) {
        json.beginObject().name("amount").uint(holding.amount());
        json.name("asset-id").uint(asset);
        json.name("is-frozen").bool(holding.frozen()).endObject();
    }

    private static void address(String name, Address value, JsonWriter json) {
        if (!value.isZero()) {
            json.name(name).string(value.toString());
        }
    }

    private static void text(String name, String name64, Bytes value, JsonWriter json) {
        if (value.isEmpty()) {
            return;
        }
        if (isPrintable(value)) {
            json.name(name).string(value.toText());
        }
        json.name(name64).base64(value.toArray());
    }

    /** Whether these bytes are UTF-8 and print as they are. */
    static boolean isPrintable(Bytes value) {
        String text = value.toText();
        return Bytes.utf8(text).equals(value) && text.codePoints().allMatch(GoText::isPrintable);
    }
}

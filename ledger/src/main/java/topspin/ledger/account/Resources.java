package topspin.ledger.account;

/**
 * How many things an account answers for; they decide its minimum balance (validation.md 11.3). All
 * counts are unsigned.
 *
 * @param assets holdings, those of assets it created included
 * @param createdAssets assets it created
 * @param createdApps applications it created
 * @param optedInApps applications it keeps local state for
 * @param schemaUints integers declared, over global and local schemas
 * @param schemaByteSlices byte slices declared, over global and local schemas
 * @param extraPages extra program pages
 * @param boxes boxes of an application account
 * @param boxBytes bytes of their names and values
 */
public record Resources(
        long assets,
        long createdAssets,
        long createdApps,
        long optedInApps,
        long schemaUints,
        long schemaByteSlices,
        long extraPages,
        long boxes,
        long boxBytes) {
    public static final Resources NONE = new Resources(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** With {@code assetsMore} holdings more and {@code createdMore} created assets more. */
    public Resources plusAssets(int assetsMore, int createdMore) {
        return new Resources(
                assets + assetsMore,
                createdAssets + createdMore,
                createdApps,
                optedInApps,
                schemaUints,
                schemaByteSlices,
                extraPages,
                boxes,
                boxBytes);
    }
}

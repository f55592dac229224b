/**
 * Returns the text that says how a model marks a code or token as used exactly once, shown if it fails such a check.
 */
export function consumeOnce(table: string, column: string): string {
  return `Let one statement decide and return whether it changed a row. Never read first and write afterwards.
  SQL    UPDATE ${table} SET revoked_at = now() WHERE ${column} = ? AND revoked_at IS NULL   → affected rows === 1
  SQL    DELETE FROM ${table} WHERE ${column} = ?                                            → affected rows === 1
  Mongo  findOneAndUpdate({ ${column}, revokedAt: null }, { $set: { revokedAt: new Date() } })   → not null
  Redis  GETDEL ${column}:<value>, or SET used:<value> 1 NX                                  → not null`;
}

/** How to fix a model that compares IDs or tokens inexactly. Shown with a failed check. */
export const EXACT_COMPARISON = `Compare bytes. Do not trim, fold case or normalize. Or look up by the SHA-256 of the value.
  MySQL       VARBINARY, or COLLATE utf8mb4_0900_bin (other collations ignore case or trailing spaces)
  MariaDB     VARBINARY, or COLLATE utf8mb4_nopad_bin
  SQL Server  VARBINARY (string comparisons ignore trailing spaces)
  SQLite      = instead of LIKE, no COLLATE NOCASE
  Mongo       equality, no collation of strength 1 or 2, no $regex`;

/** How to fix a model that returns other times than it was passed. Shown with a failed check. */
export const REAL_DATES = `Return exactly the saved time, as a Date.
  SQL    timestamptz (PostgreSQL) or DATETIME(3) in UTC. SQLite and Redis: milliseconds, then new Date(Number(value))
  JSON   new Date(row.expires_at): after JSON.parse(), a Date is a string`;

/** How to fix a model that revokes token families incompletely. Shown with a failed check. */
export const REVOKE_FAMILY = `Store \`grantId\` with every code, access token and refresh token, and revoke by it.
  SQL    UPDATE grants SET revoked_at = now() WHERE id = ?, and join the grant whenever a token is looked up; or
         UPDATE access_tokens / refresh_tokens / codes SET revoked_at = now() WHERE grant_id = ? AND revoked_at IS NULL
  Mongo  updateMany({ grantId, revokedAt: null }, { $set: { revokedAt: new Date() } }) in each collection
  Redis  SET revoked:<grantId> 1 EX <lifetime of a refresh token>, and look this key up with every token`;

/** How to fix a model that does not revoke a single access token correctly. Shown with a failed check. */
export const REVOKE_ACCESS_TOKEN = `Mark or delete the row of this token, and never return a marked row. Succeed even if the row is already marked or missing.
  SQL    UPDATE access_tokens SET revoked_at = now() WHERE token = ? AND revoked_at IS NULL   → ignore the row count
         SELECT … FROM access_tokens WHERE token = ? AND revoked_at IS NULL, in every look-up
  SQL    DELETE FROM access_tokens WHERE token = ?
  Mongo  updateOne({ token }, { $set: { revokedAt: new Date() } }), and find({ token, revokedAt: null })
  Redis  DEL access:<token>`;

/** How to fix a model that saves valid tokens into a revoked token family. Shown with a failed check. */
export const SAVE_INTO_FAMILY = `Store that the family is revoked. Check this and save the token in one transaction.
  SQL    BEGIN; SELECT revoked_at FROM grants WHERE id = ? FOR UPDATE; revoked → throw; INSERT …; COMMIT
         (revokeGrant() updates the same row, so one transaction waits for the other), or join \`grants\` in every look-up
  Mongo  the same in a session with a transaction that updates the grant document
  Redis  one Lua script: EXISTS revoked:<grantId>, then SET`;

/** How to fix a model that accepts a used code or token in a process with another clock. Shown with a failed check. */
export const CLOCK_INDEPENDENT = `Decide by a mark, not by a time: \`revoked_at IS NULL\` means unused. Any other value means used, even if it is in the future.
  Never set \`expires_at\` to now to mark a row as used: for a process with a slower clock, it has not expired yet.`;

/** How to fix a model whose `redeem()` is not atomic. Shown with a failed check. */
export const REDEEM = `Mark the code or token as used and save the new tokens in one transaction, and let the changed row decide. Or omit \`redeem()\`.
  SQL    BEGIN; UPDATE … SET revoked_at = now() WHERE … AND revoked_at IS NULL   → no row: ROLLBACK and return null;
         INSERT INTO access_tokens …; INSERT INTO refresh_tokens …; COMMIT. If any statement fails: ROLLBACK
  Mongo  the same in session.withTransaction()
  Redis  one Lua script that checks everything first and then writes everything`;

/**
 * How to fix a model that fails if concurrent requests save the first tokens of one grant. Shown with a failed check.
 */
export const SAVE_GRANT_ONCE = `Let the database ignore a row that exists already. Do not read first, and do not use an ORM's upsert if it reads first.
  SQL    INSERT INTO grants … ON CONFLICT (id) DO NOTHING (MySQL: INSERT IGNORE), then insert the tokens
  Prisma createMany({ data, skipDuplicates: true })
  Mongo  insert, and ignore error 11000`;

/** How to fix a model that loses properties of a record for which it has no columns. Shown with a failed check. */
export const STORE_WHOLE_RECORD = `Store the whole record as JSON, with its key and expiry in columns. Convert strings back to Dates when you read it.
  SQL    INSERT INTO pushed_requests (request_uri, data, expires_at) VALUES (?, ?, ?)
         { ...data, openUntil: new Date(data.openUntil), expiresAt: new Date(row.expires_at) }`;

/**
 * How to fix a model whose `once()` does not decide atomically, or forgets values too early. Shown with a failed check.
 */
export const REMEMBER_ONCE = `Let the primary key decide, and treat an expired row as missing. Never read first and write afterwards.
  SQL    INSERT INTO seen (digest, expires_at) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at
         WHERE seen.expires_at < now()   → affected rows === 1
  Mongo  insert with a unique index, and a TTL index on \`expiresAt\`   → not error 11000
  Redis  SET once:<digest> 1 NX EX <seconds>   → not null`;

/** How to fix a model that accepts more than one decision about a device authorization. Shown with a failed check. */
export const DECIDE_ONCE = `Let one statement decide and return whether it changed a row. Never read first and write afterwards.
  SQL    UPDATE device_codes SET user_id = ?, scope = ?, denied_at = ? WHERE id = ? AND user_id IS NULL AND denied_at IS NULL
         AND redeemed_at IS NULL   → affected rows === 1
  Mongo  findOneAndUpdate({ _id, userId: null, deniedAt: null }, { $set: … })   → not null
  Redis  one Lua script that reads first and then writes`;

/**
 * How to fix a model that does not store a longer polling interval, or overwrites a decision. Shown with a failed
 * check.
 */
export const SLOW_DOWN = `Change only the column of the interval, so that a decision is never overwritten.
  SQL    UPDATE device_codes SET poll_interval = ? WHERE id = ? AND poll_interval < ?
  Mongo  updateOne({ _id }, { $max: { interval } })`;

/**
 * How to fix a model that replaces signing keys although another process has changed them. Shown with a failed check.
 */
export const REPLACE_IF_SAME = `Let one statement compare byte by byte and replace. Return whether it changed a row.
  SQL    UPDATE signing_keys SET text = ? WHERE id = 1 AND text = ?                    → affected rows === 1
         the first time: INSERT INTO signing_keys (id, text) VALUES (1, ?) ON CONFLICT DO NOTHING   → affected rows === 1
  Mongo  findOneAndUpdate({ _id: 1, text: old }, { $set: { text } })                   → not null
  Redis  one Lua script: GET, compare, SET`;

/**
 * How to fix a model whose exchanged tokens stay valid after their subject token is revoked. Shown with a failed check.
 */
export const REVOKE_WITH_SUBJECT_TOKEN = `Store the subject token with the exchanged token, and check it in every look-up. Or omit \`saveExchangedToken()\`.
  SQL    SELECT … FROM access_tokens t LEFT JOIN access_tokens s ON s.id = t.subject_id WHERE t.token = ?
         AND (t.subject_id IS NULL OR (s.id IS NOT NULL AND s.revoked_at IS NULL)), and so on up to the first subject token`;

/**
 * How to fix a model that creates a client with one ID for more than one concurrent caller. Shown with a failed check.
 */
export const INSERT_ONCE = `Let the database reject the second row, and return whether a row was inserted. Do not read first.
  SQL    INSERT INTO clients … ON CONFLICT (id) DO NOTHING (MySQL: INSERT IGNORE)      → affected rows === 1
  Mongo  insert, and return false for error 11000
  Redis  SET client:<id> … NX                                                          → not null`;

/** How to fix a model that loses concurrent changes of a client. Shown with a failed check. */
export const CHANGE_CLIENT = `Compare and set. On a conflict, read the client again and repeat the change.
  SQL    UPDATE clients SET data = ?, version = version + 1 WHERE id = ? AND version = ?   → no row: read again, change again
  Mongo  findOneAndUpdate({ _id, version }, …)                                         → null: read again, change again`;

/** How to fix a model that stores or compares client secrets insecurely. Shown with a failed check. */
export const HASH_SECRETS = `Store the SHA-256 of generated secrets and the scrypt hash of chosen ones, each with its expiry. Compare in constant time, and never return a secret or its hash.`;

/** How to fix a model whose tokens stay valid after their client is disabled or removed. Shown with a failed check. */
export const REVOKE_CLIENT_GRANTS = `Store a generation number with the client and with everything issued to it. A token is valid only if both numbers are equal.
  SQL    UPDATE clients SET generation = generation + 1, disabled_at = now() WHERE id = ?
         SELECT … FROM access_tokens t JOIN clients c ON c.id = t.client_id AND c.generation = t.generation WHERE …
  SQL    DELETE FROM access_tokens / refresh_tokens / codes WHERE client_id = ?, in the transaction that changes the client`;

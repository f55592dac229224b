/** The query shape that spends something once. */
export function consumeOnce(table: string, column: string): string {
  return `let one statement decide, and return whether it changed a row; never look first and write then.
  SQL    UPDATE ${table} SET revoked_at = now() WHERE ${column} = ? AND revoked_at IS NULL   → affected rows === 1
  SQL    DELETE FROM ${table} WHERE ${column} = ?                                            → affected rows === 1
  Mongo  findOneAndUpdate({ ${column}, revokedAt: null }, { $set: { revokedAt: new Date() } })   → not null
  Redis  GETDEL ${column}:<value>, or SET spent:<value> 1 NX                                 → not null`;
}

/** How ids and tokens are compared. */
export const EXACT_COMPARISON = `compare bytes, and trim, fold or normalize nothing; or look up by the SHA-256 of the value.
  MySQL       VARBINARY, or COLLATE utf8mb4_0900_bin (other collations ignore case or a last space)
  MariaDB     VARBINARY, or COLLATE utf8mb4_nopad_bin
  SQL Server  VARBINARY (comparisons of text ignore a last space)
  SQLite      = and not LIKE, no COLLATE NOCASE
  Mongo       equality, no collation of strength 1 or 2, no $regex`;

/** How moments are kept. */
export const REAL_DATES = `return the very moment that was saved, as a Date.
  SQL    timestamptz (PostgreSQL) or DATETIME(3) in UTC; SQLite and Redis: milliseconds, then new Date(Number(value))
  JSON   new Date(row.expires_at): what was a Date is text after JSON.parse()`;

/** How a family is ended. */
export const REVOKE_FAMILY = `keep \`grantId\` with every code, access and refresh token, and end them by it.
  SQL    UPDATE grants SET revoked_at = now() WHERE id = ?, and join it wherever a token is looked up; or
         UPDATE access_tokens / refresh_tokens / codes SET revoked_at = now() WHERE grant_id = ? AND revoked_at IS NULL
  Mongo  updateMany({ grantId, revokedAt: null }, { $set: { revokedAt: new Date() } }) in each collection
  Redis  SET revoked:<grantId> 1 EX <lifetime of a refresh token>, looked up with every token`;

/** How one access token is ended. */
export const REVOKE_ACCESS_TOKEN = `mark or delete the one row, by the token itself, and find none that is marked; one that is gone already is as good.
  SQL    UPDATE access_tokens SET revoked_at = now() WHERE token = ? AND revoked_at IS NULL   → whatever the count
         SELECT … FROM access_tokens WHERE token = ? AND revoked_at IS NULL, wherever one is looked up
  SQL    DELETE FROM access_tokens WHERE token = ?
  Mongo  updateOne({ token }, { $set: { revokedAt: new Date() } }), and find({ token, revokedAt: null })
  Redis  DEL access:<token>`;

/** How a token is kept from being saved into a family that is over. */
export const SAVE_INTO_FAMILY = `remember the revoked family, and let one transaction check it and save.
  SQL    BEGIN; SELECT revoked_at FROM grants WHERE id = ? FOR UPDATE; revoked → throw; INSERT …; COMMIT
         (revokeGrant updates that very row, so one of the two waits for the other), or join \`grants\` in every lookup
  Mongo  the same in a session with a transaction, updating the grant document
  Redis  one Lua script: EXISTS revoked:<grantId>, then SET`;

/** How what is spent stays spent where clocks differ. */
export const CLOCK_INDEPENDENT = `a mark decides, not a moment: \`revoked_at IS NULL\` is alive and anything else is spent, whether that moment has come or not.
  Never mark something as spent by an \`expires_at\` of now: to a process whose clock is slower it is good.`;

/** How something is spent and what comes of it saved in one step. */
export const REDEEM = `let one transaction do both, and let the row that changed decide; or leave \`redeem()\` out.
  SQL    BEGIN; UPDATE … SET revoked_at = now() WHERE … AND revoked_at IS NULL   → no row: ROLLBACK and return null;
         INSERT INTO access_tokens …; INSERT INTO refresh_tokens …; COMMIT. Whatever throws in between: ROLLBACK
  Mongo  the same in session.withTransaction()
  Redis  one Lua script, which looks and then writes all`;

/** How a grant is made by whoever comes first. */
export const SAVE_GRANT_ONCE = `let the database pass over the row that is there; no look before it, and no upsert of an ORM that looks first.
  SQL    INSERT INTO grants … ON CONFLICT (id) DO NOTHING (MySQL: INSERT IGNORE), then insert the tokens
  Prisma createMany({ data, skipDuplicates: true })
  Mongo  insert, and pass over the error 11000`;

/** How something is kept that has no columns of its own. */
export const STORE_WHOLE_RECORD = `keep the whole record as JSON beside its name and its expiry, and make dates of its dates again.
  SQL    INSERT INTO pushed_requests (request_uri, data, expires_at) VALUES (?, ?, ?)
         { ...data, openUntil: new Date(data.openUntil), expiresAt: new Date(row.expires_at) }`;

/** How a moment is remembered in which something came for the first time. */
export const REMEMBER_ONCE = `let the key decide, and what is over count as gone; never look first and write then.
  SQL    INSERT INTO seen (digest, expires_at) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at
         WHERE seen.expires_at < now()   → affected rows === 1
  Mongo  insert with a unique index, and a TTL index on \`expiresAt\`   → not the error 11000
  Redis  SET once:<digest> 1 NX EX <seconds>   → not null`;

/** How a decision is made once. */
export const DECIDE_ONCE = `let one statement decide, and return whether it changed a row; never look first and write then.
  SQL    UPDATE device_codes SET user_id = ?, scope = ?, denied_at = ? WHERE id = ? AND user_id IS NULL AND denied_at IS NULL
         AND redeemed_at IS NULL   → affected rows === 1
  Mongo  findOneAndUpdate({ _id, userId: null, deniedAt: null }, { $set: … })   → not null
  Redis  one Lua script, which looks and then writes`;

/** How a device is slowed down. */
export const SLOW_DOWN = `change the one column, and nothing that was decided.
  SQL    UPDATE device_codes SET poll_interval = ? WHERE id = ? AND poll_interval < ?
  Mongo  updateOne({ _id }, { $max: { interval } })`;

/** How text is replaced that others replace too. */
export const REPLACE_IF_SAME = `let one statement compare and replace, byte by byte, and return whether it changed a row.
  SQL    UPDATE signing_keys SET text = ? WHERE id = 1 AND text = ?                    → affected rows === 1
         for the first: INSERT INTO signing_keys (id, text) VALUES (1, ?) ON CONFLICT DO NOTHING   → affected rows === 1
  Mongo  findOneAndUpdate({ _id: 1, text: old }, { $set: { text } })                   → not null
  Redis  one Lua script: GET, compare, SET`;

/** How something ends with what it came of. */
export const REVOKE_WITH_SUBJECT_TOKEN = `keep with the token what it came of, and look for that too whenever it is looked up; or leave \`saveExchangedToken()\` out.
  SQL    SELECT … FROM access_tokens t LEFT JOIN access_tokens s ON s.id = t.came_of WHERE t.token = ?
         AND (t.came_of IS NULL OR (s.id IS NOT NULL AND s.revoked_at IS NULL)), and so on up to the first`;

/** How a row is made by one of many. */
export const INSERT_ONCE = `let the database refuse the second row, and return whether it did; no look before it.
  SQL    INSERT INTO clients … ON CONFLICT (id) DO NOTHING (MySQL: INSERT IGNORE)      → affected rows === 1
  Mongo  insert, and return false for the error 11000
  Redis  SET client:<id> … NX                                                          → not null`;

/** How a client is changed that others change too. */
export const CHANGE_CLIENT = `compare and set, and make the change again of what it has become.
  SQL    UPDATE clients SET data = ?, version = version + 1 WHERE id = ? AND version = ?   → no row: read again, change again
  Mongo  findOneAndUpdate({ _id, version }, …)                                         → null: read again, change again`;

/** How secrets are kept. */
export const HASH_SECRETS = `keep SHA-256 of what is random and scrypt of what somebody chose, each in a list with the moment until which it is good; compare in constant time, and return neither.`;

/** How all ends that a client was given. */
export const REVOKE_CLIENT_GRANTS = `a number of the client stands with all that it is given, and what has another one is over.
  SQL    UPDATE clients SET generation = generation + 1, retired_at = now() WHERE id = ?
         SELECT … FROM access_tokens t JOIN clients c ON c.id = t.client_id AND c.generation = t.generation WHERE …
  SQL    DELETE FROM access_tokens / refresh_tokens / codes WHERE client_id = ?, in the transaction that changes the client`;

export const port = Number(process.env.PORT ?? 3000);

/**
 * Who this server is: every authorization answer says so as `iss`, and clients compare it with what they were set up
 * with. RFC 9207 §2.4. With `PORT=0` nobody knows it beforehand, and nothing is said.
 */
export const issuer = process.env.ISSUER || (port > 0 && port < 65_536 ? `http://127.0.0.1:${port}` : undefined);

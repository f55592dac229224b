export const port = Number(process.env.PORT ?? 3000);

/**
 * The issuer of this server. Authorization responses contain it as `iss`, and clients compare it with their
 * configuration (RFC 9207 §2.4). `undefined` with `PORT=0`, because the port is then unknown before the server starts.
 */
export const issuer = process.env.ISSUER || (port > 0 && port < 65_536 ? `http://127.0.0.1:${port}` : undefined);

export const port = Number(process.env.PORT ?? 3000);

/** The issuer of this server. Behind a proxy, set `ISSUER` to the public https URL. */
export const issuer = process.env.ISSUER || `http://127.0.0.1:${port}`;

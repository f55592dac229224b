export const port = Number(process.env.PORT ?? 3000);

/** The issuer of this server. Passkeys require a host name, so it is `localhost` and not 127.0.0.1. */
export const issuer = process.env.ISSUER || `http://localhost:${port}`;

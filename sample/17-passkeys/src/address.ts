export const port = Number(process.env.PORT ?? 3000);

/** Who this server is. Passkeys belong to a host name, and an address is none: `localhost`, and not 127.0.0.1. */
export const issuer = process.env.ISSUER || `http://localhost:${port}`;

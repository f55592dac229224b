export const port = Number(process.env.PORT ?? 3000);

/** The issuer of this server. In production, use an https URL that never changes. */
export const issuer = process.env.ISSUER ?? `http://127.0.0.1:${port}`;

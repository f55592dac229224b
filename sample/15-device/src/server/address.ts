export const port = Number(process.env.PORT ?? 3000);

/** What devices know this server by. In a real system an https URL that never changes, and one that is short to type. */
export const issuer = process.env.ISSUER ?? `http://127.0.0.1:${port}`;

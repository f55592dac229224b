export const port = Number(process.env.PORT ?? 3000);

/** What shops know this server by. In a real system an https URL that never changes. */
export const issuer = process.env.ISSUER ?? `http://127.0.0.1:${port}`;

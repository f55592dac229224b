export const port = Number(process.env.PORT ?? 3000);

/** Who this server is, and where its pages are. */
export const issuer = process.env.ISSUER || `http://127.0.0.1:${port}`;

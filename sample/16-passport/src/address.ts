export const port = Number(process.env.PORT ?? 3000);

/** Who this server is: behind a proxy, the https URL by which clients know it. */
export const issuer = process.env.ISSUER || `http://127.0.0.1:${port}`;

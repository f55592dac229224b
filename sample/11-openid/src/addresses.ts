/** The issuer of the provider. In production, use an https URL that never changes. */
export const issuer = process.env.ISSUER ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`;

/** The base URL of the server-side client. */
export const web = process.env.WEB ?? 'http://127.0.0.1:3001';

/** The base URL of the browser client. */
export const browser = process.env.BROWSER ?? 'http://127.0.0.1:3002';

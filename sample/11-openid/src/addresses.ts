/** Who the provider is: in a real system an https URL that never changes. */
export const issuer = process.env.ISSUER ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`;

/** Where its two clients are. */
export const web = process.env.WEB ?? 'http://127.0.0.1:3001';
export const browser = process.env.BROWSER ?? 'http://127.0.0.1:3002';

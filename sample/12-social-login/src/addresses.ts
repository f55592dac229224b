/** The issuer of this server. In production, use an https URL that never changes. */
export const issuer = process.env.ISSUER ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`;

/** The external provider. For Google: `https://accounts.google.com`, with the client ID and secret from Google. */
export const provider = {
  issuer: process.env.PROVIDER ?? 'http://127.0.0.1:3001',
  clientId: process.env.PROVIDER_CLIENT_ID ?? 'notes-server',
  clientSecret: process.env.PROVIDER_CLIENT_SECRET ?? 'notes-server-secret',
};

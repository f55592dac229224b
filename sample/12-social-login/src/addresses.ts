/** This server: in a real system an https URL that never changes. */
export const issuer = process.env.ISSUER ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`;

/** The provider that its users come from: `https://accounts.google.com`, say, with the id and secret that you are given there. */
export const provider = {
  issuer: process.env.PROVIDER ?? 'http://127.0.0.1:3001',
  clientId: process.env.PROVIDER_CLIENT_ID ?? 'notes-server',
  clientSecret: process.env.PROVIDER_CLIENT_SECRET ?? 'notes-server-secret',
};

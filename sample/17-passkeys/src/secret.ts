import { randomBytes } from 'node:crypto';

/** The secret that signs session cookies and consent forms. In production, set it in the environment. */
export const secret = process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url');

import { randomBytes } from 'node:crypto';

/** Signs the cookies of sessions and the forms of consent. In a real system from the environment. */
export const secret = process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url');

import { timingSafeEqual } from 'node:crypto';
import { hashPassword } from './passwords.js';

/** What a token can allow, and how the consent page says it. */
export const scopes: Record<string, string> = {
  profile: 'See your name',
  'notes:read': 'Read your notes',
  'notes:write': 'Write notes for you',
};

/** Where a client may be answered: on this computer, any port, on the paths that client libraries like to have. */
const redirectUris = ['127.0.0.1', 'localhost'].flatMap((host) =>
  [
    '/callback',
    '/auth/callback',
    '/oauth/callback',
    '/oauth2/callback',
    '/api/auth/callback/demo', // Auth.js
    '/login/oauth2/code/demo', // Spring Security
  ].map((path) => `http://${host}${path}`),
);

export interface DemoClient {
  id: string;
  /** As the consent page calls it. */
  name: string;
  secret?: string;
  tokenEndpointAuthMethod?: 'none';
  grants: string[];
  redirectUris: string[];
  scopes: string[];
  /** What it is given that asks for no scope. */
  defaultScope?: string;
}

export const clients: DemoClient[] = [
  {
    // Runs on a server, so it can keep a secret. `password` is here for the curl lines; leave it out of new systems.
    id: 'demo-web',
    name: 'Demo web application',
    secret: 'demo-web-secret',
    grants: ['authorization_code', 'client_credentials', 'password', 'refresh_token'],
    redirectUris,
    scopes: Object.keys(scopes),
    defaultScope: 'profile',
  },
  {
    // Runs in the browser, where nothing stays secret: it proves itself with PKCE instead.
    id: 'demo-spa',
    name: 'Quick start page',
    tokenEndpointAuthMethod: 'none',
    grants: ['authorization_code', 'refresh_token'],
    redirectUris,
    scopes: Object.keys(scopes),
  },
];

export interface DemoUser {
  id: string;
  username: string;
  name: string;
}

const alice: DemoUser = { id: '1', username: 'alice', name: 'Alice Liddell' };
const salt = 'a random one for each user, in a real system';
const passwordHash = hashPassword('wonderland', salt);

/** Passwords are hashed even here, because samples are copied. */
export const users = {
  findById: async (id?: string) => (id === alice.id ? alice : undefined),

  async findByCredentials(username: string, password: string) {
    // Hashed for unknown names too: the time an answer takes does not tell which names exist.
    const isRight = timingSafeEqual(await hashPassword(password, salt), await passwordHash);
    return isRight && username === alice.username ? alice : undefined;
  },
};

/** What alice has noted before the first start. */
export const firstNotes = ['Follow the white rabbit', 'Be at the tea party by six'].map((text) => ({
  userId: alice.id,
  text,
}));

import type { User } from 'nest-oauth2';
import { hashPassword, verifyPassword } from 'nest-oauth2/stores/memory';

/** The scopes, with their texts on the consent page. */
export const scopes: Record<string, string> = {
  profile: 'See your name',
  'notes:read': 'Read your notes',
  'notes:write': 'Write notes for you',
};

/** The redirect URIs of both clients: any port on this computer, with the default paths of common client libraries. */
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
  /** The name shown on the consent page. */
  name: string;
  secret?: string;
  tokenEndpointAuthMethod?: 'none';
  grants: string[];
  redirectUris: string[];
  scopes: string[];
  /** The scope of tokens for requests without a `scope` parameter. */
  defaultScope?: string;
}

export const clients: DemoClient[] = [
  {
    // A confidential client, which runs on a server. Only the curl commands need `password`: omit it in new systems.
    id: 'demo-web',
    name: 'Demo web application',
    secret: 'demo-web-secret',
    grants: ['authorization_code', 'client_credentials', 'password', 'refresh_token'],
    redirectUris,
    scopes: Object.keys(scopes),
    defaultScope: 'profile',
  },
  {
    // A public client, which runs in the browser and has no secret. PKCE protects its authorization codes.
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
const passwordHash = hashPassword('wonderland');

/** The users of this demo. Their passwords are hashed. */
export const users = {
  findById: async (id?: string) => (id === alice.id ? alice : undefined),
  findByUsername: async (username: string) => (username === alice.username ? alice : undefined),

  async verifyPassword(user: User | undefined, password: string) {
    // Without a hash, this takes as long, so that the response time does not reveal which usernames exist.
    return verifyPassword(password, user && (await passwordHash));
  },
};

/** The notes that alice has at the first start. */
export const firstNotes = ['Follow the white rabbit', 'Be at the tea party by six'].map((text) => ({
  userId: alice.id,
  text,
}));

import { configurationError } from '../../errors/configuration-error.js';
import type { StoredClient } from '../contract/ports.js';

const GRANTS = [
  'authorization_code',
  'client_credentials',
  'refresh_token',
  'password',
  'implicit',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:openid:params:grant-type:ciba',
] as const;

/** Returns a grant type without case and punctuation, singular, and without the prefix of its URN. */
const plain = (grant: string) =>
  grant
    .replace(/^urn:.*:/, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace('authoris', 'authoriz')
    .replace(/grant$|flow$/, '')
    .replace(/s$/, '');

/** The standard grant types by their plain names and by names that developers use instead. */
const BY_NAME: ReadonlyMap<string, string> = new Map<string, string>([
  ...GRANTS.map((grant) => [plain(grant), grant] as const),
  ['code', GRANTS[0]],
  ['authcode', GRANTS[0]],
  ['pkce', GRANTS[0]],
  ['authorization', GRANTS[0]],
  ['authorizationcodepkce', GRANTS[0]],
  ['client', GRANTS[1]],
  ['machinetomachine', GRANTS[1]],
  ['refresh', GRANTS[2]],
  ['offline', GRANTS[2]],
  ['resourceownerpassword', GRANTS[3]],
  ['device', GRANTS[5]],
  ['deviceauthorization', GRANTS[5]],
]);

/** The beginning of a hash of bcrypt, argon2, scrypt, SHA-256, or crypt. */
const HASH = /^\$(?:2[abxy]?|argon2(?:id|i|d)|scrypt|sha256|pbkdf2[\w-]*|[156y])\$/;

/** Names that developers use for a public client. */
const PUBLIC_FLAGS = ['public', 'isPublic', 'is_public', 'publicClient'];

/**
 * Returns the first mistake in a client that an operator configures: a value that is valid, but with which the client
 * cannot work, or would be less secure than it seems. Clients that register themselves are not checked.
 */
function findClientMistake(client: Partial<StoredClient>): string | undefined {
  const { grants = [], redirectUris = [], secret, secretHashes, tokenEndpointAuthMethod: method } = client;
  for (const grant of grants ?? []) {
    const meant = BY_NAME.get(plain(grant));
    if (meant !== undefined && meant !== grant) return `\`grants\` contains \`${grant}\`: write \`${meant}\``;
  }
  for (const uri of redirectUris ?? []) {
    if (uri.includes('*')) {
      return `\`redirectUris\` contains \`${uri}\`: there are no wildcards, since redirect URIs are compared exactly. List each redirect URI`;
    }
    if (/^[a-z][\w.-]*:\d/i.test(uri)) {
      return `\`redirectUris\` contains \`${uri}\`, which has no scheme: write \`http://${uri}\` or \`https://${uri}\``;
    }
  }
  const hash = [secret].flat().find((one) => HASH.test(String(one)));
  if (hash !== undefined) {
    return `\`secret\` is a hash (\`${HASH.exec(hash)![0]}…\`), which the client would have to send: set the secret itself, or put the result of \`hashSecret()\` into \`secretHashes\``;
  }
  const flag = PUBLIC_FLAGS.find((name) => (client as Readonly<Record<string, unknown>>)[name] === true);
  const hasSecret = (secret ?? undefined) !== undefined || (secretHashes?.length ?? 0) > 0;
  if (flag !== undefined && (method ?? undefined) === undefined && !hasSecret) {
    return `\`${flag}\` is not a field of a client: write \`tokenEndpointAuthMethod: 'none'\` for a public client`;
  }
  if (method !== 'none') return undefined;
  if (hasSecret) {
    return "`tokenEndpointAuthMethod: 'none'` makes it a public client, whose `secret` is never verified: remove `secret`, or remove `tokenEndpointAuthMethod`";
  }
  if (grants?.includes('client_credentials')) {
    return "a public client cannot use `client_credentials`, because anyone can send its ID: give it a `secret` and remove `tokenEndpointAuthMethod: 'none'`, or remove the grant";
  }
  return undefined;
}

/**
 * Verifies a client that an operator configures.
 * @throws {InvalidArgumentError} If the client has a mistake that `findClientMistake()` finds.
 */
export function rejectClientMistake(client: Partial<StoredClient>, id: unknown = client.id): void {
  const mistake = findClientMistake(client);
  if (mistake !== undefined) throw configurationError(`the client \`${String(id)}\` is invalid: ${mistake}`);
}

import { Logger } from '@nestjs/common';

import { isLoopbackName, isPlaceholder, LATE, OPENID } from '../../lib/internal.js';
import type { ServerContext } from '../../lib/index.js';
import { DEFINED_SCOPES, isDefinedScope, misspelledScope } from '../decorators/define-scopes.js';

const logger = new Logger('OAuth2');

/** The fields of a client in code that the start reads. */
export interface CodeClient {
  id: string;
  grants?: readonly string[];
  redirectUris?: unknown;
  secret?: unknown;
  secretHashes?: unknown;
  tokenEndpointAuthMethod?: unknown;
  scopes?: unknown;
}

/** Returns the clients of the code, if the store has any. */
export const codeClients = ({ options: { model } }: ServerContext): readonly CodeClient[] =>
  (model as { initialClients?: readonly CodeClient[] }).initialClients ?? [];

/** Logs what clients of the code cannot do, although their fields promise it. */
export function warnOfClients(server: ServerContext): void {
  const clients = codeClients(server);
  logClientsWithoutRefresh(clients, server);
  for (const client of clients) {
    warnOfMissingRedirectUris(client);
    warnOfPlainRedirects(client);
    warnOfPlaceholder(client);
    warnOfCommas(client);
    warnOfMissingSecret(client, server);
    warnOfMisspelledScopes(client, server);
    warnOfMissingFeature(client, server);
  }
}

/**
 * Logs the clients that sign users in and get no refresh tokens, because their `grants` lack `refresh_token`. It is a
 * warning if such a client may request `offline_access`, which promises a refresh token.
 */
function logClientsWithoutRefresh(clients: readonly CodeClient[], { grants }: ServerContext): void {
  const without = clients.filter(
    (client) => client.grants?.includes('authorization_code') && !client.grants.includes('refresh_token'),
  );
  if (without.length === 0 || !grants.has('refresh_token')) return;
  const isPromised = without.some(({ scopes }) => listOf(scopes).includes('offline_access'));
  const names = without.map(({ id }) => `\`${id}\``).join(', ');
  logger[isPromised ? 'warn' : 'log'](
    `No refresh token is issued to ${names}, because \`grants\` lacks 'refresh_token': users sign in again when an ` +
      "access token expires. To keep them signed in, add 'refresh_token' to the `grants` of the client.",
  );
}

/** Logs a warning if a client uses authorization codes, and has no redirect URI to which they could be sent. */
function warnOfMissingRedirectUris({ id, grants, redirectUris }: CodeClient): void {
  const isEmpty = redirectUris === undefined || redirectUris === null || (redirectUris as unknown[]).length === 0;
  if (!isEmpty || !grants?.includes('authorization_code')) return;
  logger.warn(
    `The client \`${id}\` has the grant 'authorization_code' and no \`redirectUris\`, so no user can sign in there: add the ` +
      "URL to which the client is sent back, such as `redirectUris: ['https://app.example.com/callback']`, or remove the grant.",
  );
}

/** Logs a warning if an authorization code is sent to another computer without TLS. RFC 9700 §2.6 */
function warnOfPlainRedirects({ id, redirectUris }: CodeClient): void {
  const plain = listOf(redirectUris).find((uri) => {
    const url = URL.canParse(uri) ? new URL(uri) : undefined;
    return url?.protocol === 'http:' && !isLoopbackName(url.hostname);
  });
  if (plain === undefined) return;
  logger.warn(
    `The client \`${id}\` has the redirect URI \`${plain}\`, without TLS: everyone on the way can read its authorization codes. ` +
      'Use https. In a closed test network, ignore this.',
  );
}

/** Logs a warning if the secret of a client is a word of an example, which an attacker guesses first. */
function warnOfPlaceholder({ id, secret }: CodeClient): void {
  if (!listOf([secret].flat()).some((one) => isPlaceholder(one) || COMMON_SECRET.test(one))) return;
  logger.warn(
    `The \`secret\` of the client \`${id}\` is a placeholder, which everyone can guess: replace it with random characters, such as ` +
      'the output of `openssl rand -base64 33`.',
  );
}

const COMMON_SECRET = /^(?:(?:my.?)?(?:client.?)?(?:secret|s3cret|password)|todo|test)$/i;

/** Logs a warning if a client cannot authenticate, for example because the variable with its secret is not set. */
function warnOfMissingSecret(client: CodeClient, { options }: ServerContext): void {
  const { id, secret, secretHashes, tokenEndpointAuthMethod: method, grants = [] } = client;
  const { requireClientAuthentication: required } = options;
  if (secret !== undefined || secretHashes !== undefined || method !== undefined) return;
  // The implicit grant has no request that a client could authenticate. RFC 6749 §4.2
  if (grants.every((grant) => grant === 'implicit' || required[grant] === false)) return;
  logger.warn(
    `The client \`${id}\` has no \`secret\`, so it cannot authenticate: set it, or \`tokenEndpointAuthMethod: 'none'\` for a public ` +
      `client. ${LATE}`,
  );
}

/** Logs a warning of each scope that differs from one of `defineScopes()` in at most two letters. */
function warnOfMisspelledScopes({ id, scopes }: CodeClient, server: ServerContext): void {
  const names = Object.keys(server.find(DEFINED_SCOPES) ?? {});
  for (const scope of Array.isArray(scopes) ? scopes.map(String) : []) {
    const nearest = isDefinedScope(scope, names) ? undefined : misspelledScope(scope, names);
    if (nearest === undefined) continue;
    logger.warn(
      `The client \`${id}\` may request the scope \`${scope}\`, which \`defineScopes()\` does not define: write \`${nearest}\`, or define \`${scope}\`.`,
    );
  }
}

/** Logs a warning if a client is allowed what the server cannot do: ID tokens without `openid()`, or passwords. */
function warnOfMissingFeature({ id, grants = [], scopes }: CodeClient, server: ServerContext): void {
  if (listOf(scopes).includes('openid') && server.find(OPENID) === undefined) {
    logger.warn(
      `The client \`${id}\` has the scope \`openid\`, but it gets no ID token, because the server lacks \`openid()\`: add ` +
        '`openid()` and `keys()` to `features`, or remove the scope.',
    );
  }
  const { verifiesPasswords } = server.options.model as { verifiesPasswords?: unknown };
  if (grants.includes('password') && verifiesPasswords === false) {
    logger.warn(
      `The client \`${id}\` has the grant 'password', but every password is refused, because \`users\` of the store cannot verify ` +
        'one: implement `findByCredentials()`, or remove the grant.',
    );
  }
}

/** Logs a warning if a scope contains a comma, which probably separates two scopes. */
function warnOfCommas({ id, scopes }: CodeClient): void {
  const joined = Array.isArray(scopes) ? scopes.filter((scope) => String(scope).includes(',')) : [];
  if (joined.length === 0) return;
  logger.warn(
    `\`scopes\` of the client \`${id}\` contains \`${joined[0]}\`, which is one scope with a comma in its name. If you meant several ` +
      `scopes, write ${listed(String(joined[0]))}.`,
  );
}

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter(isText) : []);
const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns a text with commas as a list in code. */
export const listed = (text: string): string => `'${text.split(',').join("', '")}'`;

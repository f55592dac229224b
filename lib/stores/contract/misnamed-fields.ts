/**
 * Wrong names that developers use for client fields, with the correct name: RFC 7591 names, other libraries, singular
 * forms.
 */
const EXPECTED: Readonly<Record<string, string>> = {
  allowedgranttypes: 'grants',
  allowedorigin: 'allowedOrigins',
  allowedscope: 'scopes',
  callback: 'redirectUris',
  callbackurl: 'redirectUris',
  callbackuri: 'redirectUris',
  clientid: 'id',
  clientsecret: 'secret',
  defaultscope: 'defaultScope',
  grant: 'grants',
  granttype: 'grants',
  redirect: 'redirectUris',
  redirecturi: 'redirectUris',
  redirecturl: 'redirectUris',
  scope: 'scopes',
  tokenendpointauthmethod: 'tokenEndpointAuthMethod',
};

/**
 * Returns the first field of a client that has a wrong name, with the correct name. Returns `undefined` if there is
 * none.
 */
export function findMisnamedField(client: object): { actual: string; expected: string } | undefined {
  for (const actual of Object.keys(client)) {
    const key = actual.toLowerCase().replaceAll(/[_-]/g, '').replace(/s$/, '');
    const expected = Object.hasOwn(EXPECTED, key) ? EXPECTED[key]! : undefined;
    if (expected !== undefined && expected !== actual && !Object.hasOwn(client, expected)) return { actual, expected };
  }
  return undefined;
}

/** Names that developers write for fields of a client: those of RFC 7591, of other libraries, and singular forms. */
const MEANT: Readonly<Record<string, string>> = {
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

/** Returns a field that the client has under another name, with the name that is read; `undefined` if there is none. */
export function findMisnamedField(client: object): { given: string; meant: string } | undefined {
  for (const given of Object.keys(client)) {
    const key = given.toLowerCase().replaceAll(/[_-]/g, '').replace(/s$/, '');
    const meant = Object.hasOwn(MEANT, key) ? MEANT[key]! : undefined;
    if (meant !== undefined && meant !== given && !Object.hasOwn(client, meant)) return { given, meant };
  }
  return undefined;
}

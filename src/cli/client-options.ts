import type { CommandOption, Given } from './command.js';
import { UsageError } from './command.js';

const text = (value: string, about: string): CommandOption => ({ type: 'string', value, about });
const list = (value: string, about: string): CommandOption => ({ type: 'string', multiple: true, value, about });
const flag = (about: string): CommandOption => ({ type: 'boolean', about });

/** What is said of a client. */
export const CLIENT_OPTIONS: Readonly<Record<string, CommandOption>> = {
  name: text('<text>', 'as users are told it is called'),
  grant: list('<type>', 'a grant type it may use; can be repeated'),
  'redirect-uri': list('<uri>', 'where answers may be sent; can be repeated'),
  scope: list('<value>', 'a scope it may ask for; can be repeated'),
  'default-scope': text('<scope>', 'what it is given that asks for none'),
  public: flag('it has no secret: an application in a browser or on a device'),
  'auth-method': text('<method>', 'how it proves who it is (`tokenEndpointAuthMethod`)'),
  native: flag('it runs on the device of its user'),
  consent: text('<when>', 'never, once or always'),
  origin: list('<origin>', 'from where pages may use it; can be repeated'),
  resource: list('<uri>', 'a protected resource that it is; can be repeated'),
  'access-token-lifetime': text('<seconds>', 'how long its access tokens live'),
  'refresh-token-lifetime': text('<seconds>', 'how long its refresh tokens live'),
  set: list('<field>=<json>', 'anything else, or what has no option; can be repeated'),
};

export const SECRET_LIFETIME = text('<seconds>', 'after which the secret is over; left out: never');
export const OVERLAP = text('<seconds>', 'for which the secret before is good too. Default: 86400, a day');
export const UNSET = list('<field>', 'takes a field away; can be repeated');
export const LIST_OPTIONS: Readonly<Record<string, CommandOption>> = {
  search: text('<text>', 'in the id or the name'),
  retired: flag('only those that are retired'),
  active: flag('only those that are not'),
  limit: text('<count>', 'how many, 1 to 1000; left out: all'),
  after: text('<client id>', 'those behind it'),
};

/** The fields that were given. @throws UsageError */
export function fieldsOf(given: Given): Record<string, unknown> {
  const method = given.isSet('public') ? 'none' : given.text('auth-method');
  const fields: Record<string, unknown> = {
    name: given.text('name'),
    grants: given.list('grant'),
    redirectUris: given.list('redirect-uri'),
    scopes: given.list('scope')?.flatMap((values) => values.split(' ').filter(Boolean)),
    defaultScope: given.text('default-scope'),
    tokenEndpointAuthMethod: method,
    applicationType: given.isSet('native') ? 'native' : undefined,
    consent: given.text('consent'),
    allowedOrigins: given.list('origin'),
    resources: given.list('resource'),
    accessTokenLifetime: given.number('access-token-lifetime'),
    refreshTokenLifetime: given.number('refresh-token-lifetime'),
  };
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...said, ...(given.list('set') ?? []).map(field)]);
}

function field(given: string): [string, unknown] {
  const [, name, json] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  try {
    return [name!, JSON.parse(json!)];
  } catch {
    // The value may be a secret, and this goes into the log of whoever runs it.
    const about = name === undefined ? '--set' : `--set ${name}=…`;
    throw new UsageError(`\`${about}\` must be a field and its value as JSON: --set logoUri='"https://…"'`);
  }
}

import type { CommandOption, CommandArguments } from './command.js';
import { UsageError } from './command.js';

const text = (value: string, about: string): CommandOption => ({ type: 'string', value, description: about });
const list = (value: string, about: string): CommandOption => ({
  type: 'string',
  multiple: true,
  value,
  description: about,
});
const flag = (about: string): CommandOption => ({ type: 'boolean', description: about });

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
export function fieldsOf(args: CommandArguments): Record<string, unknown> {
  const method = args.isSet('public') ? 'none' : args.text('auth-method');
  const fields: Record<string, unknown> = {
    name: args.text('name'),
    grants: args.list('grant'),
    redirectUris: args.list('redirect-uri'),
    scopes: args.list('scope')?.flatMap((values) => values.split(' ').filter(Boolean)),
    defaultScope: args.text('default-scope'),
    tokenEndpointAuthMethod: method,
    applicationType: args.isSet('native') ? 'native' : undefined,
    consent: args.text('consent'),
    allowedOrigins: args.list('origin'),
    resources: args.list('resource'),
    accessTokenLifetime: args.number('access-token-lifetime'),
    refreshTokenLifetime: args.number('refresh-token-lifetime'),
  };
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...said, ...(args.list('set') ?? []).map(field)]);
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
